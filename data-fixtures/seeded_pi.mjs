// Pi's own SessionManager with seeded ids and a clock of our own: the same calls write the same bytes.
// Env: PI_DIR, the folder of the installed package @earendil-works/pi-coding-agent.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

// mulberry32: small, and good enough to look random.
function randomSource(seed) {
	let state = Math.imul(seed + 1, 2654435761) >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
}

/**
 * Load the SessionManager under a seeded random source and a clock that only `clock.now` moves.
 * Returns { SessionManager, random(), integer(below), hex(digits), clock, restart({ seed, start }) }.
 * Once a process: it replaces globals.
 */
export async function loadSeededPi({ seed, start }) {
	if (!process.env.PI_DIR) throw new Error("PI_DIR is not set: python tests/conformance/install_pi.py prints it");
	let random;
	const clock = {};
	const restart = (from) => {
		random = randomSource(from.seed);
		clock.now = from.start;
	};
	restart({ seed, start });
	const integer = (below) => Math.floor(random() * below);
	const hex = (digits) => Array.from({ length: digits }, () => integer(16).toString(16)).join("");

	crypto.randomUUID = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
	syncBuiltinESMExports(); // Pi imports randomUUID by name
	globalThis.crypto.getRandomValues = (bytes) => {
		for (const at of bytes.keys()) bytes[at] = integer(256);
		return bytes;
	};
	const SystemDate = Date;
	globalThis.Date = class extends SystemDate {
		constructor(...parts) {
			super(...(parts.length ? parts : [clock.now]));
		}
		static now() {
			return clock.now;
		}
	};

	const module = join(resolve(process.env.PI_DIR), "dist/core/session-manager.js");
	const { SessionManager } = await import(pathToFileURL(module).href);
	return { SessionManager, random: () => random(), integer, hex, clock, restart };
}
