"""Token estimates without a tokenizer: the ``chars-v1`` rule of a quarter token for each UTF-16 unit."""

from __future__ import annotations

__all__ = ["IMAGE_TOKENS", "MESSAGE_TOKENS", "estimate_message_tokens", "estimate_text_tokens"]

MESSAGE_TOKENS = 8
IMAGE_TOKENS = 1024


def estimate_text_tokens(text: str) -> int:
    """Estimate a text's tokens: its UTF-16 length divided by four, rounded up."""
    units = len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
    return -(-units // 4)


def estimate_message_tokens(text: str, *, images: int = 0) -> int:
    """Estimate a message's tokens: a fixed frame, its text, and a fixed price for each image."""
    return MESSAGE_TOKENS + estimate_text_tokens(text) + IMAGE_TOKENS * images
