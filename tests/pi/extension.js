// Commands for what a person does in pi's own screen, or an extension does, and its RPC mode has
// no command for. Each takes its arguments as JSON.

export default function (pi) {
  const command = (name, work) =>
    pi.registerCommand(name, {
      description: `For tests: ${name}`,
      handler: (text, context) => work(JSON.parse(text), context),
    });

  command("navigate", ({ id, ...options }, context) => context.navigateTree(id, options));
  command("label", ({ id, label }) => pi.setLabel(id, label));
  command("note", ({ type, text }) =>
    pi.sendMessage({ customType: type, content: text, display: true }),
  );
  command("remember", ({ type, data }) => pi.appendEntry(type, data));
}
