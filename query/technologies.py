"""Names of technologies in a text: languages, tools, formats and short technical words.

The list also decides which words of two letters may be searched at all.
"""

from __future__ import annotations

import re

from .extraction import cut, unique
from .stopwords import fold_word, is_italian, is_italian_too

__all__ = ["TECHNOLOGIES", "cut_spelled_technologies", "find_technologies", "is_technology"]

_LANGUAGES = """
typescript javascript coffeescript python java kotlin scala groovy clojure csharp dotnet fsharp vbnet rust golang swift
objectivec ruby perl php lua julia haskell ocaml erlang elixir dart zig nim crystal fortran cobol pascal delphi matlab
solidity wasm webassembly assembly bash zsh fish powershell sql plsql tsql graphql html css scss sass xml xslt json
json5 jsonl ndjson yaml yml toml ini csv tsv markdown mdx latex tex regex protobuf parquet arrow js ts jsx tsx py
rb rs sh md kt hcl tf vb asm cpp cxx
"""

_FRAMEWORKS = """
node nodejs deno bun react reactjs preact vue vuejs nuxt svelte sveltekit angular angularjs nextjs nestjs remix astro
ember solidjs alpine htmx jquery redux tailwind tailwindcss bootstrap electron tauri flutter expo express fastify koa
django flask fastapi pydantic starlette uvicorn gunicorn celery sqlalchemy alembic rails sinatra laravel symfony spring
springboot hibernate quarkus micronaut ktor blazor aspnet maui unity unreal godot qt gtk pytorch torch tensorflow keras
sklearn numpy scipy pandas polars pyarrow matplotlib jupyter spark pyspark dask airflow dbt langchain llama ollama
huggingface transformers openai anthropic claude gemini copilot cursor codex aider opencode
"""

_DATA_STORES = """
sqlite sqlite3 postgres postgresql mysql mariadb mssql sqlserver oracle mongodb mongo redis valkey memcached cassandra
scylla dynamodb couchdb neo4j elasticsearch opensearch solr clickhouse duckdb snowflake bigquery redshift databricks
delta iceberg hudi trino hive hadoop kafka rabbitmq nats pulsar zookeeper etcd supabase firebase firestore prisma
drizzle fts5 pgvector pinecone qdrant chroma faiss
"""

_TOOLS = """
git github gitlab bitbucket gitea svn mercurial docker podman compose kubernetes k8s k3s helm kubectl terraform pulumi
ansible vagrant packer jenkins circleci travis argocd nginx apache caddy haproxy traefik envoy istio consul vault nomad
prometheus grafana loki datadog sentry opentelemetry otel splunk kibana logstash npm npx pnpm yarn pip pipx poetry uv
conda cargo rustup maven gradle ant cmake ninja meson bazel conan vcpkg webpack vite rollup esbuild parcel turbopack
babel swc eslint prettier biome stylelint ruff mypy pyright pylint flake8 pytest unittest hypothesis jest vitest mocha
cypress playwright selenium storybook junit rspec valgrind gdb lldb gcc clang llvm vim nvim neovim emacs vscode
intellij pycharm xcode tmux ssh scp rsync curl wget sed awk grep jq systemd cron brew homebrew apt rpm dnf snap nix
aws azure gcp ec2 s3 rds sqs sns ecs eks ecr iam vpc lambda cloudflare vercel netlify heroku linux ubuntu debian fedora
redhat centos archlinux macos ios ipados android windows wsl unix posix raspberry pi mcp lsp
youtube linkedin whatsapp paypal chatgpt openapi wordpress webgl webgpu webrtc iphone ipad devops
"""

_SHORT_WORDS = """
ai ml nlp llm rag gpu cpu tpu ram ssd hdd usb api sdk cli gui tui ui ux ide os vm vpn vps db orm etl olap oltp fts ci cd
qa pr mr id ip io tcp udp dns tls ssl http https http2 grpc rpc rest soap jwt oauth oauth2 saml sso ldap mfa otp csrf
xss cors csp cdn cms crm erp seo dom pdf svg png jpg jpeg gif webp mp3 mp4 url uri uuid utf8 ascii nfc nfd aes rsa sha
md5 sha1 sha256 hmac i18n l10n a11y e2e tdd bdd ddd crud acid http3 quic websocket sse smtp imap ftp sftp nfs smb gc jit
jvm jdk jre clr abi ffi
"""

TECHNOLOGIES: frozenset[str] = frozenset[str]().union(
    _LANGUAGES.split(), _FRAMEWORKS.split(), _DATA_STORES.split(), _TOOLS.split(), _SHORT_WORDS.split()
)

# Names with marks in them, and "Go" where it can only be the language: with a capital after a word without one.
_BEFORE_GO = "|".join(
    rf"(?<=\b{word} )"
    for word in (
        "in",
        "the",
        "our",
        "a",
        "with",
        "and",
        "or",
        "of",
        "from",
        "for",
        "using",
        "di",
        "con",
        "per",
        "e",
        "o",
    )
)
_SPELLED = re.compile(
    r"(?=[.A-Za-z])(?<![\w.@/\\+-])(?:(?i:c\+\+|c#|f#|objective-c|(?:asp)?\.net|vb\.net"
    r"|(?:node|next|nuxt|vue|react|express|three|d3|chart|ember|backbone|alpine|solid|nest|p5|moment|discord)\.js"
    r"|scikit-learn|ci/cd|tcp/ip|i/o)"
    rf"|(?:{_BEFORE_GO})Go(?! (?:on|ahead|to|back|through|over)\b))(?![\w+#-])"
)
_WORD = re.compile(r"[^\W_]{2,20}")


def cut_spelled_technologies(text: str) -> tuple[tuple[str, ...], str]:
    """Cut out the technologies whose names are no plain words: ``c++``, ``node.js``, ``Go`` inside a sentence."""
    return cut(text, _SPELLED)


def find_technologies(text: str) -> tuple[str, ...]:
    """Find names of technologies in a text as it spells them, each once whatever its case.

    ``ai``, ``ci`` and ``io`` are pronouns and a preposition where the text has other Italian words.
    """
    spelled, rest = cut_spelled_technologies(text)
    words = dict.fromkeys(_WORD.findall(rest))
    named = [word for word in words if is_technology(word)]
    if any(map(is_italian_too, named)) and is_italian(words):
        named = [word for word in named if not is_italian_too(word)]
    first: dict[str, str] = {}
    for name in (*spelled, *named):
        first.setdefault(fold_word(name), name)
    return unique(first.values())


def is_technology(word: str) -> bool:
    """Tell whether a word, in any case, names a technology."""
    return fold_word(word) in TECHNOLOGIES
