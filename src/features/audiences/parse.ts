import type { FieldProblem } from '../../platform/errors/app-error.js';
import { isBlank, quote } from '../../platform/errors/field-problems.js';
import { isUuid } from '../../platform/ids.js';
import {
  type CustomValue,
  describeValueRule,
  type FieldDefinition,
  MAX_TEXT_VALUE,
  parseValue,
} from '../contacts/custom/field-values.js';
import { TAG_RULE, toTag } from '../contacts/custom/tag-names.js';
import {
  BUILT_IN_KINDS,
  type Condition,
  DAY_OPERATORS,
  hasValue,
  MAX_DAYS,
  MAX_LEVELS,
  MAX_TESTS,
  OPERATORS,
  type Operator,
  type Test,
  type TestKind,
  toCustomKey,
} from './condition.js';

export interface Vocabulary {
  /** The account's contact fields. */
  fields: readonly FieldDefinition[];
  /** ISO 3166 codes. */
  countries: ReadonlySet<string>;
}

/** The ID of a group or a campaign in a condition. */
export interface Reference {
  kind: 'group' | 'campaign';
  id: string;
  path: string;
}

export interface ParsedCondition {
  /** Null if there are problems. */
  condition: Condition | null;
  problems: FieldProblem[];
  references: readonly Reference[];
}

const SHAPE_RULE = 'must be an object with one of all, any and not, or with field, operator and value';

/**
 * Checks and normalizes a condition from a request. Whether groups and campaigns exist is not checked.
 * @param path name of the condition in errors; a problem of a test has a path such as `condition.all[2].value`
 */
export function parseCondition(input: unknown, vocabulary: Vocabulary, path = 'condition'): ParsedCondition {
  const parser = new Parser(vocabulary);
  const condition = parser.parse(input, path, 0);
  if (condition !== null && parser.testCount > MAX_TESTS)
    parser.problems.push({ field: path, rule: `must have at most ${MAX_TESTS} tests` });
  const { problems, references } = parser;
  return { condition: problems.length > 0 ? null : condition, problems, references };
}

class Parser {
  readonly problems: FieldProblem[] = [];
  readonly references: Reference[] = [];
  testCount = 0;
  readonly #vocabulary: Vocabulary;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** @param level number of lists that contain the condition */
  parse(input: unknown, path: string, level: number, isNegated = false): Condition | null {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return this.#refuse(path, SHAPE_RULE);
    const keys = Object.keys(input);
    const [key = ''] = keys;
    if ('field' in input) return this.#parseTest(input, path);
    if (keys.length !== 1 || !['all', 'any', 'not'].includes(key)) return this.#refuse(path, SHAPE_RULE);
    const value = (input as Record<string, unknown>)[key];
    if (key === 'not') {
      if (isNegated) return this.#refuse(`${path}.not`, 'must not be within another not');
      const condition = this.parse(value, `${path}.not`, level, true);
      return condition && { not: condition };
    }
    const entries = this.#parseList(value, `${path}.${key}`, level);
    if (entries === null) return null;
    return key === 'all' ? { all: entries } : { any: entries };
  }

  #parseList(value: unknown, path: string, level: number): Condition[] | null {
    if (level >= MAX_LEVELS)
      return this.#refuse(path, `must not be within more than ${MAX_LEVELS - 1} other list: use fields there`);
    if (!Array.isArray(value) || value.length === 0 || value.length > MAX_TESTS)
      return this.#refuse(path, `must be a list of 1 to ${MAX_TESTS} conditions`);
    const entries = value.map((entry, index) => this.parse(entry, `${path}[${index}]`, level + 1));
    return entries.every((entry) => entry !== null) ? entries : null;
  }

  #parseTest(input: object, path: string): Test | null {
    this.testCount += 1;
    const { field, operator, value, ...unknown } = input as Record<string, unknown>;
    const [surplus] = Object.keys(unknown);
    if (surplus !== undefined) return this.#refuse(path, 'must have only field, operator and value');
    const subject = typeof field === 'string' ? this.#findSubject(field) : null;
    if (subject === null) {
      const names = Object.keys(BUILT_IN_KINDS).join(', ');
      return this.#refuse(
        `${path}.field`,
        `must be fields.<key> with a contact field of the account, or one of ${names}`,
      );
    }
    const operators = OPERATORS[subject.kind];
    const knownOperator = operators.find((each) => each === operator);
    if (knownOperator === undefined)
      return this.#refuse(`${path}.operator`, `must be one of ${operators.join(', ')} for ${field}`);
    if (!hasValue(knownOperator)) {
      if (value !== undefined) return this.#refuse(`${path}.value`, `must be absent with ${knownOperator}`);
      return { field: field as string, operator: knownOperator };
    }
    if (value === undefined) return this.#refuse(`${path}.value`, 'is required');
    const checked = this.#checkValue(subject, knownOperator, value);
    if ('rule' in checked) return this.#refuse(`${path}.value`, checked.rule);
    if (subject.kind === 'groups' || subject.kind === 'campaign') {
      const kind = subject.kind === 'groups' ? 'group' : 'campaign';
      this.references.push({ kind, id: String(checked.value), path: `${path}.value` });
    }
    return { field: field as string, operator: knownOperator, value: checked.value };
  }

  #findSubject(field: string): Subject | null {
    const key = toCustomKey(field);
    if (key === null) {
      const kind = Object.hasOwn(BUILT_IN_KINDS, field) ? BUILT_IN_KINDS[field] : undefined;
      return kind === undefined ? null : { kind, choices: [] };
    }
    const definition = this.#vocabulary.fields.find((each) => each.key === key);
    return definition === undefined ? null : { kind: definition.type, choices: definition.choices };
  }

  #checkValue(
    { kind, choices }: Subject,
    operator: Operator,
    value: unknown,
  ): { value: CustomValue } | { rule: string } {
    if (DAY_OPERATORS.has(operator)) {
      const isDays = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_DAYS;
      return isDays ? { value } : { rule: `must be a number of days from 1 to ${MAX_DAYS}` };
    }
    switch (kind) {
      case 'tags': {
        const tag = typeof value === 'string' ? toTag(value) : null;
        return tag === null ? { rule: TAG_RULE } : { value: tag };
      }
      case 'groups':
      case 'campaign': {
        const isId = typeof value === 'string' && isUuid(value);
        return isId
          ? { value: value.toLowerCase() }
          : { rule: `must be the ID of a ${kind === 'groups' ? 'group' : kind}` };
      }
      case 'country': {
        const code = typeof value === 'string' ? value.toUpperCase() : '';
        return this.#vocabulary.countries.has(code)
          ? { value: code }
          : { rule: 'must be the two letters of a country with a calling code, such as FR' };
      }
      default: {
        const type = kind === 'time' || kind === 'created' ? 'date' : kind === 'optedOut' ? 'boolean' : kind;
        const definition = { type, choices } as const;
        const isEmpty = typeof value === 'string' && isBlank(value);
        const parsed = isCustomValue(value) && !isEmpty ? parseValue(definition, value) : null;
        if (parsed !== null && type === 'date' && !STORABLE_YEAR.test(String(parsed))) return { rule: YEAR_RULE };
        if (parsed !== null) return { value: parsed };
        return { rule: kind === 'text' ? TEXT_RULE : `${describeValueRule(definition)}, not ${describe(value)}` };
      }
    }
  }

  #refuse(field: string, rule: string): null {
    this.problems.push({ field, rule });
    return null;
  }
}

interface Subject {
  kind: TestKind;
  /** Allowed values of a choice; otherwise empty. */
  choices: readonly string[];
}

/** PostgreSQL has no year 0, and years after 9999 are written with more digits. */
const STORABLE_YEAR = /^(?:19|2\d)\d\d-/;
const YEAR_RULE = 'must be a date from 1900-01-01 to 2999-12-31';

const TEXT_RULE = `must be a text of 1 to ${MAX_TEXT_VALUE} characters without control characters`;

function isCustomValue(value: unknown): value is CustomValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function describe(value: unknown): string {
  return typeof value === 'string' ? quote(value) : Array.isArray(value) ? 'a list' : `${value}`;
}
