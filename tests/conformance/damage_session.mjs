// What crashes, power cuts, two writers and other programs leave behind in a session file, put there on purpose.

const NEWLINE = 0x0a;
const bytes = (text) => Buffer.from(text, "utf8");

function splitLines(file) {
	const lines = [];
	for (let start = 0; start < file.length; ) {
		const end = file.indexOf(NEWLINE, start);
		lines.push(file.subarray(start, end < 0 ? file.length : end));
		start = end < 0 ? file.length : end + 1;
	}
	return lines;
}

/** Each takes a line (and what surrounds it) and returns the lines that stand in its place. */
const DAMAGES = [
	function blankLine({ line }) {
		return [bytes("   "), line];
	},
	function notJson({ line }) {
		return [bytes("{not json"), line];
	},
	function scalars({ line }) {
		return [bytes("null"), bytes("0"), bytes('""'), line];
	},
	function carriageReturn({ line }) {
		return [Buffer.concat([line, bytes("\r")])];
	},
	function lostLine() {
		return [];
	},
	function tornLine({ line }) {
		return [line.subarray(0, line.length >> 1)];
	},
	function weldedLines({ line, next }) {
		return [Buffer.concat([line.subarray(0, line.length >> 1), next ?? line])];
	},
	function zeroFilledGap({ line }) {
		return [Buffer.alloc(64), line];
	},
	function invalidUtf8({ line }) {
		const at = line.lastIndexOf('"');
		return [Buffer.concat([line.subarray(0, at), Buffer.from([0xff, 0xc3]), line.subarray(at)])];
	},
	function secondHeader({ line, header }) {
		return [header, line];
	},
	function unknownType({ line, entry, freshId }) {
		const unknown = { type: "future_type", id: freshId, parentId: entry.parentId, timestamp: entry.timestamp };
		return [bytes(JSON.stringify(unknown)), line];
	},
	function missingParent({ entry }) {
		return [bytes(JSON.stringify({ ...entry, parentId: "deadbeef" }))];
	},
	function emptyParent({ entry }) {
		return [bytes(JSON.stringify({ ...entry, parentId: "" }))];
	},
	function noParent({ entry: { parentId, ...entry } }) {
		return [bytes(JSON.stringify(entry))];
	},
	function noId({ line, entry: { id, ...entry } }) {
		return [bytes(JSON.stringify(entry)), line];
	},
	function repeatedLine({ line }) {
		return [line, line];
	},
	function takenId({ entry, otherId }) {
		return [bytes(JSON.stringify({ ...entry, id: otherId }))]; // at times this closes a cycle
	},
	function unknownKept({ entry }) {
		return [bytes(JSON.stringify(entry.type === "compaction" ? { ...entry, firstKeptEntryId: "deadbeef" } : entry))];
	},
	function twoWriters({ line, next }) {
		return next ? [next, line, next] : [line];
	},
];

/** Damage about one line in twelve of a session file, and cut off its last line. */
export function damage(file, { random, integer }) {
	const [header, ...lines] = splitLines(file);
	const ids = lines.map((line) => JSON.parse(line).id);
	const damaged = lines.flatMap((line, at) => {
		if (random() > 1 / 12) return [line];
		const freshId = `f${integer(0xfffffff).toString(16).padStart(7, "0")}`;
		const surroundings = { header, line, next: lines[at + 1], entry: JSON.parse(line), freshId };
		return DAMAGES[integer(DAMAGES.length)]({ ...surroundings, otherId: ids[integer(ids.length)] });
	});
	const last = damaged.at(-1) ?? bytes("");
	return Buffer.concat([...[header, ...damaged].flatMap((line) => [line, bytes("\n")]), last.subarray(0, last.length >> 1)]);
}
