// What the real Pi says of session files: for every leaf the branch, the entries in context and the visible ones.
// usage: PI_DIR=... node pi_oracle.mjs [--all-leaves-up-to N] FILE...
//   Every entry is taken as a leaf in files of up to N entries (default: no limit); in longer ones the entries that
//   nobody continues, and the current leaf.
// Prints one JSON line a file:
//   {file, ids, new_ids, leaf, leaves: [{leaf, branch, context, visible}], cyclic}   or   {file, error}
// `ids` has each entry's id in file order (null: none). Entries are named by their place in `ids`, because Pi gives
// the entries of version 1 files new random ids (`new_ids`). `cyclic` counts leaves left out because Pi would hang
// on them; what makes Pi throw is null.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const arguments_ = process.argv.slice(2);
let allLeavesUpTo = Number.POSITIVE_INFINITY;
if (arguments_[0] === "--all-leaves-up-to") allLeavesUpTo = Number(arguments_.splice(0, 2)[1]);
if (!arguments_.length || !process.env.PI_DIR) {
	console.error("usage: PI_DIR=... node pi_oracle.mjs [--all-leaves-up-to N] FILE...");
	process.exit(2);
}
const module = join(resolve(process.env.PI_DIR), "dist/core/session-manager.js");
const { SessionManager, loadEntriesFromFile } = await import(pathToFileURL(module).href);

function attempt(ask) {
	try {
		return ask();
	} catch {
		return null;
	}
}

// Pi's methods take an id as text; an entry without one is only ever met as the last of the file.
const addressable = (id) => typeof id === "string" && id !== "";

// Pi follows parents without looking where it has been: on a cycle it never comes back.
function endsInCycle(id, byId, known) {
	const walked = [];
	let entry = byId.get(id);
	let cyclic = false;
	while (entry) {
		if (known.has(entry.id)) {
			cyclic = known.get(entry.id);
			break;
		}
		known.set(entry.id, true); // meeting it again on this walk means a cycle
		walked.push(entry.id);
		entry = entry.parentId ? byId.get(entry.parentId) : undefined;
	}
	for (const walkedId of walked) known.set(walkedId, cyclic);
	return cyclic;
}

function leavesOf(manager, byId) {
	const ids = [...byId.keys()].filter(addressable);
	if (byId.size <= allLeavesUpTo) return ids;
	const parents = new Set([...byId.values()].map((entry) => entry.parentId));
	return ids.filter((id) => !parents.has(id) || id === manager.getLeafId());
}

function describe(path, folder) {
	const copy = join(folder, "session.jsonl"); // Pi repairs and migrates files when it opens them
	copyFileSync(path, copy);
	let manager;
	let header;
	try {
		[header] = loadEntriesFromFile(copy);
		manager = SessionManager.open(copy, folder, folder);
	} catch (error) {
		return { error: error.message.replace(copy, path) };
	}
	if (!header) return { error: "empty: Pi starts a new session in it" };
	const entries = manager.getEntries();
	const placeOf = new Map(entries.map((entry, place) => [entry, place]));
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const places = (list) => list.map((entry) => placeOf.get(entry));
	const currentLeaf = manager.getLeafId();
	const known = new Map();
	const leaves = leavesOf(manager, byId);
	const finite = leaves.filter((id) => !endsInCycle(id, byId, known));
	return {
		ids: entries.map(({ id }) => (addressable(id) ? id : null)),
		new_ids: (header.version ?? 1) < 2,
		leaf: addressable(currentLeaf) ? placeOf.get(byId.get(currentLeaf)) : null,
		leaves: finite.map((id) => {
			manager.branch(id); // moves a pointer in memory, writes nothing
			return {
				leaf: placeOf.get(byId.get(id)),
				branch: places(manager.getBranch()),
				context: attempt(() => places(manager.buildContextEntries())),
				visible: attempt(() => {
					const projected = manager.buildSessionProjection().entries;
					return places(projected.filter((one) => one.messages.length).map((one) => one.sourceEntry));
				}),
			};
		}),
		cyclic: leaves.length - finite.length,
	};
}

const folder = mkdtempSync(join(tmpdir(), "pi-oracle-"));
try {
	for (const path of arguments_) console.log(JSON.stringify({ file: path, ...describe(path, folder) }));
} finally {
	rmSync(folder, { recursive: true, force: true });
}
