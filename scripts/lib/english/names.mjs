import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';

/**
 * A declared name, with the line of code that declares the name.
 * @typedef {{file: string, line: number, text: string, code: string}} Name
 */

const splitWords = (name) =>
  name
    .replace(/^#/, '')
    .split(/(?=[A-Z])|_/)
    .map((word) => word.toLowerCase())
    .filter(Boolean);

const PARTICIPLE =
  /^(told|said|asked|heard|held|had|meant|noted|given|taken|found|known|shown|kept|named|called|ended|made|begun|due|moved|asking|telling|standing|parking|joined)$/;
const VAGUE_VERB =
  /^(told|tell|tells|telling|said|say|says|asked|asks|stands|standing|lies|whoever|anew|mend|mended|meanwhile)$/;
const PRONOUN = /^(of|what|who|whom|whose|that|these|those|one|other|others|rest|same|way|place|thing|things|own|at)$/;
/** Words that may come before `Of`, because they form a term such as `indexOf` or `typeOf`. */
const TERMS_WITH_OF = /^(index|type|instance|key|value|size|kind|last|end|start)$/;

/**
 * Rules that recognize names which usually need to be replaced.
 * @type {[reason: string, isOdd: (name: string, words: string[]) => boolean][]}
 */
const RULES = [
  ['a participle alone', (_, parts) => parts.length === 1 && PARTICIPLE.test(parts[0])],
  ['a vague verb', (_, parts) => parts.some((part) => VAGUE_VERB.test(part))],
  ['xOf(y)', (_, parts) => parts.length > 1 && parts.at(-1) === 'of' && !TERMS_WITH_OF.test(parts.at(-2))],
  ['a pronoun or preposition', (name) => PRONOUN.test(name)],
  ['begins with Of, What, Where, Who', (_, parts) => parts.length > 1 && /^(of|what|where|who|whose)$/.test(parts[0])],
];

/**
 * Returns why a name probably needs to be replaced, or null if it is fine.
 * @param {Name} name
 * @returns {string | null}
 */
export function explainOddName({ text }) {
  return RULES.find(([, isOdd]) => isOdd(text, splitWords(text)))?.[0] ?? null;
}

/**
 * Finds the names that a file declares: functions, variables, parameters, types, and members of classes and interfaces.
 * @param {string} root the project's folder
 * @param {string} file path from the root
 * @returns {Name[]}
 */
export function findNames(root, file) {
  const text = readFileSync(join(root, file), 'utf8');
  const lines = text.split('\n');
  const starts = findLineStarts(lines);
  const names = [];
  const add = ({ name, start }) => {
    const line = starts.findLastIndex((lineStart) => lineStart <= start);
    if (name.length > 1) names.push({ file, line: line + 1, text: name, code: lines[line].trim().slice(0, 120) });
  };
  visit(parseSync(file, text).program, add);
  return names;
}

function findLineStarts(lines) {
  let start = 0;
  return lines.map((line) => {
    const lineStart = start;
    start += line.length + 1;
    return lineStart;
  });
}

const DECLARED_BY_ID = new Set([
  'FunctionDeclaration',
  'TSDeclareFunction',
  'VariableDeclarator',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'ClassDeclaration',
  'TSEnumDeclaration',
]);
const DECLARED_BY_KEY = new Set([
  'MethodDefinition',
  'PropertyDefinition',
  'TSMethodSignature',
  'TSAbstractMethodDefinition',
]);

function visit(node, add) {
  if (DECLARED_BY_ID.has(node.type)) addIdentifier(node.id, add);
  if (DECLARED_BY_KEY.has(node.type) && !node.computed) addIdentifier(node.key, add);
  for (const parameter of node.params ?? []) addIdentifier(parameter, add);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (child?.type) visit(child, add);
  }
}

/**
 * Adds the name of an identifier, which may have a default or a modifier. Skips patterns such as `{ a, b }`, because they
 * repeat the names of properties.
 */
function addIdentifier(node, add) {
  if (node?.type === 'AssignmentPattern') addIdentifier(node.left, add);
  else if (node?.type === 'TSParameterProperty') addIdentifier(node.parameter, add);
  else if (node?.type === 'RestElement') addIdentifier(node.argument, add);
  else if (node?.type === 'Identifier' || node?.type === 'PrivateIdentifier') add(node);
}
