import {
  type Condition,
  DAY_OPERATORS,
  hasValue,
  OPERATORS,
  type Operator,
  type Test,
  type TestKind,
} from '../../../../src/features/audiences/condition.js';

/** How many entries of a list must be met. */
export type Match = 'all' | 'any' | 'none' | 'notAll';

export interface EditedTest {
  key: string;
  field: string;
  operator: Operator;
  isNegated: boolean;
  /** As typed. Numbers and booleans become texts, and a missing value is empty. */
  value: string;
}

export interface EditedList<Entry> {
  key: string;
  match: Match;
  entries: readonly Entry[];
}

export type EditedEntry = EditedTest | EditedList<EditedTest>;
export type EditedCondition = EditedList<EditedEntry>;

export const isList = (entry: EditedEntry): entry is EditedList<EditedTest> => 'match' in entry;

let latestKey = 0;
const newKey = () => `condition-${++latestKey}`;

export function newTest(field = 'tags', operator: Operator = 'has'): EditedTest {
  return { key: newKey(), field, operator, isNegated: false, value: '' };
}

export function newList(): EditedList<EditedTest> {
  return { key: newKey(), match: 'any', entries: [newTest()] };
}

export function newCondition(): EditedCondition {
  return { key: newKey(), match: 'all', entries: [newTest()] };
}

/** Every condition that the server accepts can be edited. */
export function toEdited(condition: Condition): EditedCondition {
  const list = toEditedList(condition, toEditedEntry);
  return list ?? { key: newKey(), match: 'all', entries: [toEditedTest(condition)] };
}

function toEditedEntry(condition: Condition): EditedEntry {
  return toEditedList(condition, toEditedTest) ?? toEditedTest(condition);
}

function toEditedList<Entry>(condition: Condition, toEntry: (entry: Condition) => Entry): EditedList<Entry> | null {
  const [inner, isNegated] = 'not' in condition ? [condition.not, true] : [condition, false];
  if ('all' in inner) return { key: newKey(), match: isNegated ? 'notAll' : 'all', entries: inner.all.map(toEntry) };
  if ('any' in inner) return { key: newKey(), match: isNegated ? 'none' : 'any', entries: inner.any.map(toEntry) };
  return null;
}

function toEditedTest(condition: Condition): EditedTest {
  const [test, isNegated] = 'not' in condition ? [condition.not, true] : [condition, false];
  const { field, operator, value = '' } = test as Test;
  return { key: newKey(), field, operator, isNegated, value: String(value) };
}

export interface BuiltCondition {
  /** Null while a value is missing. */
  condition: Condition | null;
  /** Keys of tests by their path in the condition, for errors such as `condition.all[1].value`. */
  paths: ReadonlyMap<string, string>;
}

export function buildCondition(edited: EditedCondition, kindOf: (field: string) => TestKind | null): BuiltCondition {
  const paths = new Map<string, string>();
  const buildTest = ({ key, field, operator, isNegated, value }: EditedTest, path: string): Condition | null => {
    const testPath = isNegated ? `${path}.not` : path;
    paths.set(key, testPath);
    const test: Test = { field, operator };
    if (hasValue(operator)) {
      if (value.trim() === '') return null;
      test.value = toValue(value, operator, kindOf(field));
    }
    return isNegated ? { not: test } : test;
  };
  const buildList = <Entry>(
    { match, entries }: EditedList<Entry>,
    path: string,
    build: (entry: Entry, path: string) => Condition | null,
  ): Condition | null => {
    const name = match === 'all' || match === 'notAll' ? 'all' : 'any';
    const isNegated = match === 'none' || match === 'notAll';
    const listPath = `${isNegated ? `${path}.not` : path}.${name}`;
    const built = entries.map((entry, index) => build(entry, `${listPath}[${index}]`));
    if (built.length === 0 || !built.every((each) => each !== null)) return null;
    const list: Condition = name === 'all' ? { all: built } : { any: built };
    return isNegated ? { not: list } : list;
  };
  const condition = buildList<EditedEntry>(edited, 'condition', (entry, path) =>
    isList(entry) ? buildList(entry, path, buildTest) : buildTest(entry, path),
  );
  return { condition, paths };
}

function toValue(text: string, operator: Operator, kind: TestKind | null): string | number | boolean {
  if (DAY_OPERATORS.has(operator)) return Number(text);
  if (kind === 'boolean' || kind === 'optedOut') return text === 'true';
  // The server explains what is wrong with a text that is not a number.
  return kind === 'number' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

const OPPOSITES: ReadonlySet<Operator> = new Set([
  'is',
  'isNot',
  'contains',
  'notContains',
  'has',
  'hasNot',
  'inLastDays',
  'notInLastDays',
  'isSet',
  'isNotSet',
]);

/** Operators for a choice. Those without an opposite are also offered negated, and the current one always is. */
export function listOperators(kind: TestKind, current: EditedTest): { operator: Operator; isNegated: boolean }[] {
  return OPERATORS[kind].flatMap((operator) => {
    const isOffered = !OPPOSITES.has(operator) || (current.isNegated && current.operator === operator);
    return [{ operator, isNegated: false }, ...(isOffered ? [{ operator, isNegated: true }] : [])];
  });
}
