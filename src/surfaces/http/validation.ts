import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import type { FastifySchemaCompiler } from 'fastify';
import { extractDigits } from '../../carriers/numbers/written-numbers.js';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields, quote } from '../../platform/errors/field-problems.js';
import type { MadeLate } from './made-late.js';
import { writeExample } from './schemas/example-value.js';

/**
 * Keyword of a schema that says its rule in words, as they follow a field's name: `must be an integer from 0 to 3`.
 * Whatever check of the schema fails, a caller is told this.
 */
export const RULE = 'x-rule';

/**
 * Keyword of a body's schema: an optional field that is null, in it or anywhere within, counts as absent, and is taken out
 * before anything else looks at the body.
 */
export const NULL_IS_ABSENT = 'x-null-is-absent';

/**
 * Keyword of a text that is a phone number as people write it: it is read in its place, so that who handles the request gets
 * digits. What cannot be read breaks the field's rule.
 */
export const WRITTEN_PHONE = 'x-written-phone';

/**
 * Keyword of a body's schema: fields of which one must be there, the first unless another stands in its place. Whoever handles
 * the request refuses one without any; here it is told beside what else is wrong.
 */
export const ONE_OF_FIELDS = 'x-one-of-fields';

interface ObjectSchema {
  properties?: Record<string, AnySchema>;
  required?: string[];
  /** Of an array. */
  items?: AnySchema;
  additionalProperties?: unknown;
  [NULL_IS_ABSENT]?: boolean;
  [ONE_OF_FIELDS]?: readonly string[];
}

/** What is said of a field of a strict query that has a name and no value. */
export const EMPTY_FIELD = 'must not be empty; leave it out instead';

/** What finds everything when it is empty, as an empty field of a search does, wherever it stands. */
const MAY_BE_EMPTY = new Set(['search']);

/** What is said of a field that a schema which refuses others does not name. */
export const UNKNOWN_FIELD = 'is not a field of this request';

type Validate = (data: unknown) => true | { error: Error };

const strict = makeAjv(false);
const coercing = makeAjv(true);
/** By the part of a request. A schema is compiled once, also where a process opens several applications, as tests do. */
const compiled = new Map<string, WeakMap<object, Validate>>();

/**
 * Compiles the schemas of requests. Bodies are taken strictly, nothing is converted; the texts of query strings and
 * paths are converted to numbers and booleans. Fields that a schema does not name are left alone, unless it
 * refuses them (`additionalProperties: false`): handlers read only named ones.
 */
export function validatorCompiler(late: MadeLate): FastifySchemaCompiler<AnySchema> {
  return ({ schema, httpPart = 'body' }) => late.add(() => compileOnce(schema, httpPart));
}

function compileOnce(schema: AnySchema, part: string): Validate {
  const ajv = part === 'body' ? strict : coercing;
  if (typeof schema !== 'object') return compile(ajv, schema, part);
  const known = compiled.get(part) ?? new WeakMap<object, Validate>();
  compiled.set(part, known);
  const validate = known.get(schema) ?? compile(ajv, schema, part);
  known.set(schema, validate);
  return validate;
}

function makeAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    coerceTypes,
    useDefaults: coerceTypes,
    removeAdditional: false,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    // A test holds every schema against that of schemas, which here would cost each start and each first request.
    validateSchema: false,
  });
  ajv.addKeyword(RULE);
  ajv.addKeyword(NULL_IS_ABSENT);
  ajv.addKeyword(ONE_OF_FIELDS);
  ajv.addKeyword({ keyword: WRITTEN_PHONE, type: 'string', modifying: true, errors: false, validate: readPhone });
  ajv.addFormat('uri', isHttpUrl);
  return ajv;
}

/** Puts the digits of a number in the place of how it is written. */
function readPhone(_value: unknown, text: string, _schema?: unknown, context?: DataValidationCxt): boolean {
  const digits = extractDigits(text);
  // A field that is looked at alone, to tell what is wrong with a body, stands in nothing.
  if (digits !== null && typeof context?.parentData === 'object') {
    context.parentData[context.parentDataProperty] = digits;
  }
  return digits !== null;
}

/** The parser of URLs forgives what others do not: backslashes, blanks, control characters, slashes before the host. */
function isHttpUrl(text: string): boolean {
  return /^https?:\/\/(?!\/)[^\s\\\p{Cc}]+$/iu.test(text) && URL.canParse(text);
}

/**
 * One check that stops at the first error, and on failure one more of each field: so every bad field is told, while a
 * list of a million bad elements costs no more than its first.
 */
function compile(ajv: Ajv, schema: AnySchema, part: string): Validate {
  const check = ajv.compile(schema);
  // Ajv would hold it for ever, and with it what was made for an application that is closed.
  ajv.removeSchema(schema);
  const { properties = {}, required = [], [NULL_IS_ABSENT]: nullIsAbsent } = schema as ObjectSchema;
  const compileFields = () =>
    Object.entries(properties).map(([name, each]) => [name, each, ajv.compile(withoutDefault(each))] as const);
  let fields: ReturnType<typeof compileFields> | undefined;

  return (data: unknown) => {
    if (nullIsAbsent) leaveOutNulls(schema as ObjectSchema, data);
    const misread =
      part === 'querystring' ? findMisread(schema as ObjectSchema, data as Record<string, unknown>) : NONE_MISREAD;
    if (misread.size === 0 && check(data)) return true;
    if (typeof data !== 'object' || data === null || Array.isArray(data)) {
      return { error: invalidFields([{ field: part, rule: 'must be a JSON object' }]) };
    }
    const problems: FieldProblem[] = [];
    if ((schema as ObjectSchema).additionalProperties === false) {
      for (const name of Object.keys(data)) {
        if (!Object.hasOwn(properties, name)) problems.push({ field: name, rule: UNKNOWN_FIELD });
      }
    }
    const [first, ...others] = (schema as ObjectSchema)[ONE_OF_FIELDS] ?? [];
    if (first !== undefined && ![first, ...others].some((name) => Object.hasOwn(data, name))) {
      problems.push({ field: first, rule: requiredUnless(others) });
    }
    fields ??= compileFields();
    for (const [name, each, checkField] of fields) {
      const rule = misread.get(name);
      if (rule !== undefined) {
        problems.push({ field: name, rule });
      } else if (!Object.hasOwn(data, name)) {
        if (required.includes(name)) problems.push({ field: name, rule: 'is required' });
      } else if (!checkField(data[name as keyof object])) {
        problems.push(describe(name, each, checkField));
      }
    }
    if (problems.length === 0) problems.push(describe(part, schema, check));
    return { error: invalidFields(problems) };
  };
}

/** The rule of a field that others may stand in the place of. */
export function requiredUnless(others: readonly string[]): string {
  return `is required unless ${others.join(' or ')} is sent`;
}

/** Takes out what is null and need not be there, of the fields that a schema names. */
function leaveOutNulls({ properties, required = [], items }: ObjectSchema, data: unknown): void {
  if (typeof data !== 'object' || data === null) return;
  if (Array.isArray(data)) {
    if (items) for (const each of data) leaveOutNulls(items as ObjectSchema, each);
    return;
  }
  const fields = data as Record<string, unknown>;
  for (const name in properties) {
    if (fields[name] === null && !required.includes(name)) delete fields[name];
    else if (typeof fields[name] === 'object') leaveOutNulls(properties[name] as ObjectSchema, fields[name]);
  }
}

const NONE_MISREAD: ReadonlyMap<string, string> = new Map();

/**
 * Fields of a query string that a conversion would take for what they are not, with their rules. Where a query is strict, an
 * empty value is one: a script whose variable is not set would else be shown everything, or begin at the oldest again.
 */
function findMisread(
  { properties = {}, required = [], additionalProperties }: ObjectSchema,
  data: Record<string, unknown>,
): ReadonlyMap<string, string> {
  const isStrict = additionalProperties === false;
  const misread = new Map<string, string>();
  for (const [name, each] of Object.entries(properties)) {
    const { type, [RULE]: rule = 'must be an integer' } = each as { type?: string; [RULE]?: string };
    const value = data[name];
    if (Array.isArray(value) && type !== 'array') misread.set(name, 'must not be sent more than once');
    // JavaScript's conversion knows more numbers than people write: 0x10, 1e1, an empty text.
    else if (type === 'integer' && typeof value === 'string' && !/^-?\d+$/.test(value)) misread.set(name, rule);
    else if (isStrict && value === '' && !MAY_BE_EMPTY.has(name)) {
      misread.set(name, required.includes(name) ? 'is required' : EMPTY_FIELD);
    }
  }
  return misread;
}

/** A default belongs to the object around the field, and alone it would be ignored: Ajv's strict mode refuses that. */
function withoutDefault(schema: AnySchema): AnySchema {
  if (typeof schema !== 'object' || !('default' in schema)) return schema;
  const { default: _left, ...rest } = schema;
  return rest;
}

function describe(name: string, schema: AnySchema, check: ValidateFunction): FieldProblem {
  // Of the errors of a choice, the last is the choice's own; where it is a list that one element spoils, that is told. That a
  // condition asks for what is wrong is said behind the error itself.
  const own = check.errors?.findLast(({ keyword }) => keyword !== 'if') as ErrorObject;
  if (own.keyword === 'propertyNames') return describeName(name, own, check);
  const element = own.keyword === 'anyOf' && check.errors?.find((each) => isOfElement(each, own));
  const error = element || own;
  const missing =
    error.keyword === 'required' ? `/${(error.params as { missingProperty: string }).missingProperty}` : '';
  const field = name + fieldPath(error.instancePath + missing);
  if (missing) return { field, rule: 'is required' };
  if (error.keyword === 'additionalProperties') {
    const { additionalProperty } = error.params as { additionalProperty: string };
    return { field: `${field}.${additionalProperty}`, rule: UNKNOWN_FIELD };
  }
  const rule = (error.parentSchema?.[RULE] ?? (field === name ? (schema as { [RULE]?: string })[RULE] : undefined)) as
    | string
    | undefined;
  const { type } = error.params as { type?: unknown };
  // A wrong type for an object or a list gets an example of a valid value.
  const isShown = error.keyword === 'type' && (type === 'object' || type === 'array') && error.parentSchema;
  const shown = isShown ? `, such as ${writeExample(isShown)}` : '';
  return { field, rule: (rule ?? error.message ?? 'is wrong') + shown };
}

/** Of a name that breaks the rule of names; the errors before the choice's own are that of the name. */
function describeName(name: string, own: ErrorObject, { errors }: ValidateFunction): FieldProblem {
  const rule = errors?.find((each) => each.propertyName !== undefined)?.parentSchema?.[RULE] ?? 'has a wrong name';
  const { propertyName } = own.params as { propertyName: string };
  return { field: name + fieldPath(own.instancePath), rule: `${rule} (it has ${quote(propertyName)})` };
}

function isOfElement({ instancePath }: ErrorObject, { instancePath: list }: ErrorObject): boolean {
  return instancePath.startsWith(`${list}/`) && /^\/\d/.test(instancePath.slice(list.length));
}

/** `/components/0/type` → `.components[0].type` */
function fieldPath(pointer: string): string {
  return pointer.replace(/\/([^/]+)/g, (_, step: string) =>
    /^\d+$/.test(step) ? `[${step}]` : `.${step.replaceAll('~1', '/').replaceAll('~0', '~')}`,
  );
}
