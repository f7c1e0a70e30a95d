// Writes the demo sessions and their questions from the transcripts in demo_source, through Pi's own SessionManager.
// usage: PI_DIR=... node data-fixtures/make_demo.mjs [FOLDER]
// Without FOLDER it replaces data-fixtures/demo and the list of questions in data-fixtures/README.md.
// Same transcripts, same bytes: ids and clock are seeded.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Telling } from "./demo_telling.mjs";
import { readTranscript } from "./demo_transcript.mjs";
import { loadSeededPi } from "./seeded_pi.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "demo_source");
const target = resolve(process.argv[2] ?? join(here, "demo"));
const SESSIONS = ["ledger", "exports", "mailroom", "totem"]; // in order of time; a fork after what it forks
const PI_SESSIONS = "/home/mara/.pi/agent/sessions"; // where the invented user's Pi kept them

const pi = await loadSeededPi({ seed: 0, start: 0 });

/** Tell one session; returns { cwd, file, marks }. A fork starts from a copy of its parent's branch, marks included. */
function tell(title, told) {
	const [{ fork, at, start, seed, ...own }, ...steps] = readTranscript(join(source, `${title}.txt`));
	const parent = told.get(fork);
	const cwd = parent?.cwd ?? own.cwd;
	const folder = join(target, `--${cwd.slice(1).replaceAll("/", "-")}--`); // Pi's own rule for its default folder
	mkdirSync(folder, { recursive: true });
	pi.restart({ seed: Number(seed), start: Date.parse(start) });
	const session = parent ? pi.SessionManager.open(parent.file, folder, cwd) : pi.SessionManager.create(cwd, folder);
	if (parent) session.createBranchedSession(parent.marks.get(at));
	const telling = new Telling(session, new Map(parent?.marks), pi);
	for (const step of steps) telling.play(step);
	telling.flush();
	return { cwd, file: session.getSessionFile(), marks: telling.marks };
}

// Pi writes the parent's absolute path, which is the place this script happens to run in.
function replaceParentPath(file) {
	const [header, ...lines] = readFileSync(file, "utf8").split("\n");
	const values = JSON.parse(header);
	if (!values.parentSession) return;
	const path = `${PI_SESSIONS}/${relative(target, values.parentSession).replaceAll("\\", "/")}`;
	writeFileSync(file, [JSON.stringify({ ...values, parentSession: path }), ...lines].join("\n"));
}

function resolveQuestions(told) {
	const asked = JSON.parse(readFileSync(join(source, "questions.json"), "utf8"));
	return asked.map(({ session, leaf, request, relevant, forbidden, note }) => {
		const { file, marks } = told.get(session);
		const id = (name) => {
			if (!marks.has(name)) throw new Error(`questions.json: nothing in ${session} is marked ${name}`);
			return marks.get(name);
		};
		return {
			session: relative(target, file).replaceAll("\\", "/"),
			leaf: leaf && id(leaf),
			request,
			relevant: [...new Set(relevant.map(id))],
			forbidden: [...new Set(forbidden.map(id))],
			note,
		};
	});
}

function questionTables(questions) {
	const ids = (list) => list.map((id) => `\`${id}\``).join(" ") || "none";
	const bySession = Map.groupBy(questions, (question) => question.session);
	const tables = [...bySession].map(([session, list]) => {
		const rows = list.map(
			({ leaf, request, relevant, forbidden, note }) =>
				`| ${request}${leaf ? ` (leaf \`${leaf}\`)` : ""} | ${ids(relevant)} | ${ids(forbidden)} | ${note} |`,
		);
		const head = ["| request | holds the answer | must never come back | why |", "|---|---|---|---|"];
		return [`### \`${session}\``, "", ...head, ...rows].join("\n");
	});
	return tables.join("\n\n");
}

function replaceSection(path, text) {
	const [before, , after] = readFileSync(path, "utf8").split(/<!-- (?:begin|end) questions[^\n]*-->\n/);
	const notice = "<!-- begin questions: written by make_demo.mjs -->";
	writeFileSync(path, `${before}${notice}\n${text}\n<!-- end questions -->\n${after}`);
}

rmSync(target, { recursive: true, force: true });
const told = new Map();
for (const title of SESSIONS) told.set(title, tell(title, told));
for (const { file } of told.values()) replaceParentPath(file);
const questions = resolveQuestions(told);
writeFileSync(join(target, "questions.json"), `${JSON.stringify(questions, null, 2)}\n`);
if (process.argv.length < 3) replaceSection(join(here, "README.md"), questionTables(questions));
for (const { file } of told.values()) console.log(relative(process.cwd(), file));
