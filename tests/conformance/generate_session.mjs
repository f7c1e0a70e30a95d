// Random sessions that Pi itself writes: every kind of entry, branches, compactions, edits. Same seed, same bytes.
// usage: PI_DIR=... node generate_session.mjs --out FILE [options]; prints the paths it wrote, one a line
//   --seed N (1)  --entries N (150)  --text N (40: words in a message)  --branches P (0.06)  --compactions P (0.02)
//   --forks N (0)        also FILE.fork0.jsonl ...: in turn a branch as a session of its own, and the whole tree
//   --as-version 1|2     also FILE.v1.jsonl (the current branch, without ids) or FILE.v2.jsonl
//   --damage             also FILE.damaged.jsonl: see damage_session.mjs
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { loadSeededPi } from "../../data-fixtures/seeded_pi.mjs";
import { damage } from "./damage_session.mjs";

const { values: given } = parseArgs({
	options: {
		out: { type: "string" },
		seed: { type: "string", default: "1" },
		entries: { type: "string", default: "150" },
		text: { type: "string", default: "40" },
		branches: { type: "string", default: "0.06" },
		compactions: { type: "string", default: "0.02" },
		forks: { type: "string", default: "0" },
		"as-version": { type: "string" },
		damage: { type: "boolean", default: false },
	},
});
if (!given.out) throw new Error("--out FILE is missing");
const out = resolve(given.out);
const folder = dirname(out);
const pi = await loadSeededPi({ seed: Number(given.seed), start: Date.UTC(2026, 0, 5, 8, 30) });
const { SessionManager, random, integer, hex, clock } = pi;

const chance = (likelihood) => random() < likelihood;
const pick = (list) => list[integer(list.length)];
const VOCABULARY = `parser cache retry socket branch leaf config schema queue mutex cursor budget deploy rollback
größe élan 設定 🚀 src/io.py ECONNRESET 0x7f3a TODO`.split(/\s/);
const sentence = (words = Number(given.text)) => {
	const text = Array.from({ length: 1 + integer(words) }, () => pick(VOCABULARY)).join(chance(0.1) ? "\n" : " ");
	return chance(0.02) ? `${text}\u2028\u0000\ud83d` : text; // a line separator, a NUL and half an emoji
};
const block = (text) => ({ type: "text", text });
const usage = () => {
	const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
	return { input: integer(5000), output: integer(900), cacheRead: 0, cacheWrite: 0, totalTokens: integer(9000), cost };
};
const assistant = (content, stopReason) => {
	const model = { api: "openai-completions", provider: "fake", model: `model-${integer(3)}` };
	return { role: "assistant", content, ...model, usage: usage(), stopReason, timestamp: clock.now };
};
const editable = (entry) =>
	entry.type === "custom_message" ||
	(entry.type === "message" && ["user", "assistant", "toolResult"].includes(entry.message.role));

const ENDED = { exitCode: 0, cancelled: false, truncated: false };
/** Each kind of step: how often it comes (in relation to the others), and what it does. */
function steps(session) {
	const say = (message) => session.appendMessage({ ...message, timestamp: clock.now });
	const recent = (list, reach) => list[list.length - 1 - integer(Math.min(reach, list.length))];
	return [
		[22, () => say({ role: "user", content: chance(0.4) ? sentence() : [block(sentence())] })],
		[18, () => session.appendMessage(assistant([block(sentence())], pick(["stop", "stop", "stop", "error", "aborted"])))],
		[18, () => callTools(session, say)],
		[3, () => say({ role: "bashExecution", command: "make", output: sentence(), ...ENDED, excludeFromContext: chance(0.3) })],
		[2, () => say({ role: "system", content: sentence(5), sections: { tools: sentence(4) } })],
		[1, () => say({ role: "custom", customType: "old-hook", content: sentence(9), display: true })],
		[4, () => session.appendCustomMessageEntry("extension", sentence(), chance(0.5))],
		[3, () => session.appendCustomEntry("extension", { state: sentence(3) })],
		[2, () => session.appendModelChange("fake", `model-${integer(3)}`)],
		[2, () => session.appendThinkingLevelChange(pick(["off", "low", "high"]))],
		[1, () => session.appendUsage("cache_warm", "fake", "model-0", usage())],
		[1, () => session.appendSessionInfo(sentence(4))],
		[3, () => session.appendLabelChange(pick(session.getEntries()).id, chance(0.3) ? undefined : sentence(2))],
		[5, () => editContext(session, recent)],
		[100 * Number(given.compactions), () => compact(session, recent)],
		[100 * Number(given.branches), () => turnBack(session, recent)],
	];
}

function callTools(session, say) {
	const names = Array.from({ length: 1 + integer(3) }, () => pick(["bash", "read", "edit"]));
	const calls = names.map((name) => {
		return { type: "toolCall", id: `call_${hex(8)}`, name, arguments: { path: pick(VOCABULARY) } };
	});
	session.appendMessage(assistant(calls, "toolUse"));
	for (const { id: toolCallId, name: toolName } of calls) {
		clock.now += 1 + integer(900);
		say({ role: "toolResult", toolCallId, toolName, content: [block(sentence())], isError: chance(0.1) });
	}
}

function editContext(session, recent) {
	const targets = session.getBranch().filter(editable);
	if (!targets.length) return;
	const target = chance(0.7) ? recent(targets, 6) : pick(targets);
	session.appendContextEdit(target.id, chance(0.5) ? null : { content: sentence(6) });
}

// Mostly a recent entry is kept; at times one from before an older compaction, none, or one of another branch.
function compact(session, recent) {
	const branch = session.getBranch();
	if (branch.length < 3) return;
	const turn = random();
	let kept = pick(session.getEntries()).id;
	if (turn < 0.65) kept = recent(branch, 15).id;
	else if (turn < 0.85) kept = pick(branch).id;
	else if (turn < 0.93) kept = null;
	session.appendCompaction(`## Goal\n${sentence()}`, kept, 1000 + integer(90000), undefined, chance(0.2) || undefined);
}

function turnBack(session, recent) {
	const entries = session.getEntries();
	const target = chance(0.6) ? recent(entries, 40).id : pick(entries).id;
	const turn = random();
	if (turn < 0.05) session.resetLeaf();
	else if (turn < 0.3) session.branchWithSummary(turn < 0.1 ? null : target, chance(0.1) ? "" : sentence());
	else session.branch(target);
}

function write() {
	mkdirSync(folder, { recursive: true });
	rmSync(out, { force: true });
	const session = SessionManager.open(out, folder, "/srv/generated"); // no file yet: a new session at this path
	session.appendMessage({ role: "user", content: sentence(), timestamp: clock.now });
	const weighted = steps(session);
	const total = weighted.reduce((sum, [weight]) => sum + weight, 0);
	while (session.getEntryCount() < Number(given.entries)) {
		clock.now += 1 + integer(4000);
		let turn = random() * total;
		weighted.find(([weight]) => (turn -= weight) < 0)[1]();
	}
	return out;
}

function fork(number) {
	clock.now += 1000;
	const source = SessionManager.open(out, folder, "/srv/generated");
	const made =
		number % 2 === 0
			? source.createBranchedSession(pick(source.getEntries()).id)
			: SessionManager.forkFrom(out, "/srv/other", folder).getSessionFile();
	if (!existsSync(made)) return []; // a branch without a conversation: Pi waits for one before it writes
	const path = `${out}.fork${number}.jsonl`;
	renameSync(made, path);
	return [path];
}

const asLines = (values) => values.map((value) => `${JSON.stringify(value)}\n`).join("");

function asVersion1(session) {
	const { version, ...header } = session.getHeader();
	const kinds = ["message", "compaction", "model_change", "thinking_level_change"];
	const entries = session.getBranch().filter((entry) => kinds.includes(entry.type));
	const place = new Map(entries.map((entry, at) => [entry.id, at + 1])); // the header is number 0
	const bare = entries.map(({ id, parentId, firstKeptEntryId, systemMessage, ...entry }) =>
		entry.type === "compaction" ? { ...entry, firstKeptEntryIndex: place.get(firstKeptEntryId) ?? integer(9) } : entry,
	);
	return asLines([header, ...bare]);
}

function asVersion2(session) {
	const entries = session.getEntries().map((entry) =>
		entry.message?.role === "custom" ? { ...entry, message: { ...entry.message, role: "hookMessage" } } : entry,
	);
	return asLines([{ ...session.getHeader(), version: 2 }, ...entries]);
}

const written = [write()];
for (let number = 0; number < Number(given.forks); number++) written.push(...fork(number));
if (given["as-version"]) {
	const session = SessionManager.open(out, folder, "/srv/generated");
	const text = given["as-version"] === "1" ? asVersion1(session) : asVersion2(session);
	const path = `${out}.v${given["as-version"]}.jsonl`;
	writeFileSync(path, text);
	written.push(path);
}
if (given.damage) {
	for (const path of [...written]) {
		writeFileSync(`${path}.damaged.jsonl`, damage(readFileSync(path), { random, integer }));
		written.push(`${path}.damaged.jsonl`);
	}
}
console.log(written.join("\n"));
