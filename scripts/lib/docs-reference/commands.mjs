import { code, renderTable } from './markers.mjs';

/** Describes every command from the definition that prints `--help`. */
export async function describeCommands() {
  const { buildProgram } = await import(new URL('../../../dist/cli/program.js', import.meta.url).href);
  const program = buildProgram({ write: () => undefined, writeError: () => undefined });
  const help = program.createHelp();
  const global = renderTable(
    ['option', 'meaning'],
    describeOptions(program, help).concat([['`-h, --help`', 'print the help of a command']]),
  );
  const sections = help
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help')
    .map((command) => describe(command, help, 2));
  return [`## Options of every command\n\n${global}`, ...sections].join('\n\n');
}

function describe(command, help, level) {
  const title = findPath(command);
  const subcommands = help.visibleCommands(command).filter((each) => each.name() !== 'help');
  const heading = `${'#'.repeat(level)} ${title.replace('heliograph ', '')}`;
  const description = toMarkdown(sentence(command.description()));
  if (subcommands.length > 0) {
    return [`${heading}\n\n${description}`, ...subcommands.map((each) => describe(each, help, level + 1))].join('\n\n');
  }
  const usage = `\`\`\`text\n${title}${command.usage() ? ` ${command.usage()}` : ''}\n\`\`\``;
  const rows = [
    ...help.visibleArguments(command).map((argument) => [
      code(argument.name()),
      toMarkdown(help.argumentDescription(argument)) ||
        `the ${argument
          .name()
          .replaceAll('-', ' ')
          .replace(/\bid\b/, 'ID')}`,
    ]),
    ...describeOptions(command, help),
  ];
  return [
    heading,
    description,
    usage,
    ...(rows.length > 0 ? [renderTable(['argument or option', 'meaning'], rows)] : []),
  ].join('\n\n');
}

function describeOptions(command, help) {
  return help
    .visibleOptions(command)
    .filter((option) => !option.flags.includes('--help'))
    .map((option) => [code(option.flags), toMarkdown(help.optionDescription(option))]);
}

function findPath(command) {
  return command.parent ? `${findPath(command.parent)} ${command.name()}` : command.name();
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

/** Texts of the help are plain text. */
const toMarkdown = (text) =>
  text
    .split(/(\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b)/)
    .map((part, index) => (index % 2 === 1 ? code(part) : part.replace(/[<>*_]/g, (character) => `\\${character}`)))
    .join('');
