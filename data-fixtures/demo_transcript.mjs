// Reads a demo transcript: plain text in blocks, so that code and logs stand in it as they are.
//
//   § kind #name key=value ...     begins a block; `#name` marks its entry for the questions
//   §=                             in an edit: what follows replaces what stood before
//   §>                             what follows is the tool's output
//
// The first block, `session`, has cwd, start and seed, or fork and at instead of cwd: which session, from which mark.
import { readFileSync } from "node:fs";

/** Return the blocks of a transcript: { kind, name, text, replaced, output, ...keys }. */
export function readTranscript(path) {
	const [, ...blocks] = `\n${readFileSync(path, "utf8")}`.split("\n§ ");
	return blocks.map(readBlock);
}

function readBlock(block) {
	const [head, ...lines] = block.split("\n");
	const [kind, ...words] = head.trim().split(" ");
	const step = { kind };
	for (const word of words) {
		const equals = word.indexOf("=");
		if (word.startsWith("#")) step.name = word.slice(1);
		else if (equals > 0) step[word.slice(0, equals)] = word.slice(equals + 1);
		else throw new Error(`cannot read "${word}" in "§ ${head}"`);
	}
	const parts = { text: [] };
	let part = parts.text;
	for (const line of lines) {
		if (line === "§=") part = parts.replaced = [];
		else if (line === "§>") part = parts.output = [];
		else part.push(line);
	}
	for (const [key, value] of Object.entries(parts)) step[key] = value.join("\n").trimEnd();
	return step;
}
