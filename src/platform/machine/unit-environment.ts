type State = (character: string) => State;

/** Parses the format of systemd's `EnvironmentFile`: variables are not expanded, and a final backslash continues a line. */
export function parseUnitEnvironment(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  let [name, value, blanks] = ['', '', ''];

  const finishEntry = (): State => {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name.trim())) values[name.trim()] = value;
    [name, value, blanks] = ['', '', ''];
    return atStart;
  };
  const atStart: State = (character) => {
    if (/\s/.test(character)) return atStart;
    if (character === '#' || character === ';') return inComment;
    name = character;
    return inName;
  };
  const inComment: State = (character) => {
    if (character === '\n') return atStart;
    return character === '\\' ? () => inComment : inComment;
  };
  const inName: State = (character) => {
    if (character === '=') return beforeValue;
    if (character === '\n') {
      name = '';
      return atStart;
    }
    name += character;
    return inName;
  };
  const beforeValue: State = (character) => {
    if (character === '\n') return finishEntry();
    if (character === "'") return inSingleQuotes;
    if (character === '"') return inDoubleQuotes;
    if (/\s/.test(character)) return beforeValue;
    return inValue(character);
  };
  const inValue: State = (character) => {
    if (character === '\n') return finishEntry();
    if (character === '\\') return escaped;
    if (/\s/.test(character)) blanks += character;
    else {
      value += blanks + character;
      blanks = '';
    }
    return inValue;
  };
  const escaped: State = (character) => {
    value += blanks + (character === '\n' ? '' : character);
    blanks = '';
    return inValue;
  };
  const inSingleQuotes: State = (character) => {
    if (character === "'") return beforeValue;
    value += character;
    return inSingleQuotes;
  };
  const inDoubleQuotes: State = (character) => {
    if (character === '"') return beforeValue;
    if (character === '\\') return escapedInQuotes;
    value += character;
    return inDoubleQuotes;
  };
  const escapedInQuotes: State = (character) => {
    if (/["\\`$]/.test(character)) value += character;
    else if (character !== '\n') value += `\\${character}`;
    return inDoubleQuotes;
  };

  let state: State = atStart;
  for (const character of `${text.replaceAll('\r\n', '\n')}\n`) state = state(character);
  return values;
}
