// Plays a transcript's blocks into a session of Pi's SessionManager, as a person, a model and tools would.

const block = (text) => ({ type: "text", text });
const estimateTokens = (value) => Math.round(JSON.stringify(value).length / 4);

/** One session being told. `marks` maps the transcript's names to entry ids. */
export class Telling {
	constructor(session, marks, pi) {
		this.session = session;
		this.marks = marks;
		this.pi = pi;
		this.said = null; // what the model said last: it belongs to the message of a tool call that follows
		this.model = session.buildSessionContext().model;
	}

	/** Play one block. */
	play({ kind, ...step }) {
		if (!(kind in steps)) throw new Error(`no such block: ${kind}`);
		if (!toolNames.has(kind)) this.flush();
		steps[kind](this, step);
	}

	/** Write what the model said, when no tool call took it along. */
	flush() {
		if (this.said) this.mark(this.said.name, this.appendAssistant([block(this.said.text)], "stop"));
		this.said = null;
	}

	mark(name, id) {
		if (!name) return;
		if (this.marks.has(name)) throw new Error(`the mark ${name} is taken`);
		this.marks.set(name, id);
	}

	id(name) {
		if (!this.marks.has(name)) throw new Error(`nothing is marked ${name}`);
		return this.marks.get(name);
	}

	pass(fromSeconds, toSeconds) {
		this.pi.clock.now += Math.round(1000 * (fromSeconds + this.pi.random() * (toSeconds - fromSeconds)));
	}

	append(message) {
		return this.session.appendMessage({ ...message, timestamp: this.pi.clock.now });
	}

	appendAssistant(content, stopReason) {
		const { provider, modelId: model } = this.model;
		const api = provider === "anthropic" ? "anthropic-messages" : "openai-responses";
		const usage = this.usage(content);
		return this.append({ role: "assistant", content, api, provider, model, usage, stopReason });
	}

	contextTokens() {
		return 4200 + estimateTokens(this.session.buildSessionContext().messages); // the tools' descriptions count, too
	}

	usage(content) {
		const input = this.contextTokens();
		const output = 20 + estimateTokens(content);
		const cost = { input: (input * 3) / 1e6, output: (output * 15) / 1e6, cacheRead: 0, cacheWrite: 0 };
		const total = Number((cost.input + cost.output).toFixed(6));
		return { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output, cost: { ...cost, total } };
	}

	/** `name` marks the result, `name.call` the message that holds the call. */
	callTool(toolName, args, { output = "", name, exit }) {
		this.pass(3, 14);
		const call = { type: "toolCall", id: `call_${this.pi.hex(16)}`, name: toolName, arguments: args };
		const said = this.said;
		this.said = null;
		const callId = this.appendAssistant([...(said ? [block(said.text)] : []), call], "toolUse");
		this.mark(said?.name, callId);
		this.mark(name && `${name}.call`, callId);
		this.pass(0.1, 4);
		const content = output ? [block(output)] : [];
		const result = { role: "toolResult", toolCallId: call.id, toolName, content, isError: exit !== undefined };
		this.mark(name, this.append(result));
	}

	runShell({ text, output, name }, extra) {
		this.pass(20, 60);
		const run = { command: text, output, exitCode: 0, cancelled: false, truncated: false };
		this.mark(name, this.append({ role: "bashExecution", ...run, ...extra }));
	}
}

const tools = {
	bash: (told, step) => told.callTool("bash", { command: step.text }, step),
	read(told, { path, offset, limit, ...step }) {
		const range = offset ? { offset: Number(offset), limit: Number(limit) } : {};
		told.callTool("read", { path, ...range }, step);
	},
	write(told, { path, text, name }) {
		told.callTool("write", { path, content: `${text}\n` }, { name, output: `Successfully wrote to ${path}` });
	},
	edit(told, { path, text, replaced, name }) {
		const edits = [{ oldText: text, newText: replaced }];
		told.callTool("edit", { path, edits }, { name, output: `Successfully replaced 1 block(s) in ${path}.` });
	},
};
const toolNames = new Set(Object.keys(tools));

const steps = {
	...tools,
	model(told, { provider, id }) {
		told.model = { provider, modelId: id };
		told.session.appendModelChange(provider, id);
	},
	thinking: (told, { level }) => told.session.appendThinkingLevelChange(level),
	name: (told, { text }) => told.session.appendSessionInfo(text),
	system: (told, { text }) => told.append({ role: "system", content: "", sections: { preamble: text } }),
	user(told, { text, name }) {
		told.pass(25, 240);
		told.mark(name, told.append({ role: "user", content: [block(text)] }));
	},
	assistant(told, { text, name }) {
		told.pass(4, 18);
		told.said = { text, name };
	},
	shell: (told, step) => told.runShell(step, {}),
	"hidden-shell": (told, step) => told.runShell(step, { excludeFromContext: true }),
	label: (told, { to, text }) => told.session.appendLabelChange(told.id(to), text),
	back(told, { to, text }) {
		told.pass(30, 90);
		if (text) told.session.branchWithSummary(told.id(to), text);
		else told.session.branch(told.id(to));
	},
	"edit-context"(told, { target, name }) {
		told.mark(name, told.session.appendContextEdit(told.id(target), null));
	},
	compaction(told, { keep, text, name }) {
		told.pass(15, 40);
		const kept = keep === "none" ? null : told.id(keep);
		told.mark(name, told.session.appendCompaction(text, kept, told.contextTokens(), fileLists(text)));
	},
};

function fileLists(summary) {
	const list = (tag) => summary.match(new RegExp(`<${tag}>\n([^<]*)\n</${tag}>`))?.[1].split("\n") ?? [];
	return { readFiles: list("read-files"), modifiedFiles: list("modified-files") };
}
