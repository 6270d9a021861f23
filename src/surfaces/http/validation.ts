import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import type { FastifySchemaCompiler } from 'fastify';
import { extractDigits } from '../../carriers/numbers/written-numbers.js';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields, quote } from '../../platform/errors/field-problems.js';
import type { LazyFunctions } from './lazy-functions.js';
import { writeExample } from './schemas/example-value.js';

/** Schema keyword for the rule of a field in words, such as `must be an integer from 0 to 3`. */
export const RULE = 'x-rule';

/** Schema keyword of a body in which optional fields that are null, at any depth, count as absent. */
export const NULL_IS_ABSENT = 'x-null-is-absent';

/** Schema keyword of a written phone number, which validation replaces with its digits. */
export const WRITTEN_PHONE = 'x-written-phone';

/**
 * Schema keyword of a body with a list of fields, one of which is required. The handler enforces that exactly one of the fields
 * is present; validation only adds a violation to the other problems that it reports.
 */
export const ONE_OF_FIELDS = 'x-one-of-fields';

interface ObjectSchema {
  properties?: Record<string, AnySchema>;
  required?: string[];
  items?: AnySchema;
  additionalProperties?: unknown;
  [NULL_IS_ABSENT]?: boolean;
  [ONE_OF_FIELDS]?: readonly string[];
}

export const EMPTY_FIELD = 'must not be empty; leave it out instead';

/** Parameters that match everything when they are empty, like an empty search field. */
const MAY_BE_EMPTY = new Set(['search']);

export const UNKNOWN_FIELD = 'is not a field of this request';

type Validate = (data: unknown) => true | { error: Error };

const strictAjv = createAjv(false);
const coercingAjv = createAjv(true);
/** Cache shared by all applications in the process, because a test process opens several. */
const compiledValidators = new Map<string, WeakMap<object, Validate>>();

/** Bodies are validated without type conversion, but strings in queries and paths are converted. */
export function validatorCompiler(
  lazyFunctions: LazyFunctions,
): (definition: Parameters<FastifySchemaCompiler<AnySchema>>[0]) => Validate {
  return ({ schema, httpPart = 'body' }) => lazyFunctions.add(() => compileOnce(schema, httpPart));
}

function compileOnce(schema: AnySchema, part: string): Validate {
  const ajv = part === 'body' ? strictAjv : coercingAjv;
  if (typeof schema !== 'object') return compile(ajv, schema, part);
  const validators = compiledValidators.get(part) ?? new WeakMap<object, Validate>();
  compiledValidators.set(part, validators);
  const validate = validators.get(schema) ?? compile(ajv, schema, part);
  validators.set(schema, validate);
  return validate;
}

function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({
    coerceTypes,
    useDefaults: coerceTypes,
    removeAdditional: false,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    // Schemas are validated by a test, because validating them here would slow down startup and first requests.
    validateSchema: false,
  });
  ajv.addKeyword(RULE);
  ajv.addKeyword(NULL_IS_ABSENT);
  ajv.addKeyword(ONE_OF_FIELDS);
  ajv.addKeyword({ keyword: WRITTEN_PHONE, type: 'string', modifying: true, errors: false, validate: readPhone });
  ajv.addFormat('uri', isHttpUrl);
  return ajv;
}

function readPhone(_value: unknown, text: string, _schema?: unknown, context?: DataValidationCxt): boolean {
  const digits = extractDigits(text);
  // When `describeProblem` validates a single field, the parent object is missing, so the field cannot be changed.
  if (digits !== null && typeof context?.parentData === 'object') {
    context.parentData[context.parentDataProperty] = digits;
  }
  return digits !== null;
}

/**
 * The check is stricter than JavaScript's URL parser, which accepts backslashes, blanks, control characters and slashes before
 * the host.
 */
function isHttpUrl(text: string): boolean {
  return /^https?:\/\/(?!\/)[^\s\\\p{Cc}]+$/iu.test(text) && URL.canParse(text);
}

/**
 * The fast check stops at the first error. After an error, all fields
 * are checked, so that every invalid field is reported.
 */
function compile(ajv: Ajv, schema: AnySchema, part: string): Validate {
  const check = ajv.compile(schema);
  // The schema is removed, because Ajv would otherwise keep the schema even after the application is closed.
  ajv.removeSchema(schema);
  const { properties = {}, required = [], [NULL_IS_ABSENT]: nullIsAbsent } = schema as ObjectSchema;
  const compileFields = () =>
    Object.entries(properties).map(
      ([name, property]) => [name, property, ajv.compile(withoutDefault(property))] as const,
    );
  let fields: ReturnType<typeof compileFields> | undefined;

  return (data: unknown) => {
    if (nullIsAbsent) removeNulls(schema as ObjectSchema, data);
    const misreadFields =
      part === 'querystring'
        ? findMisreadFields(schema as ObjectSchema, data as Record<string, unknown>)
        : NO_MISREAD_FIELDS;
    if (misreadFields.size === 0 && check(data)) return true;
    if (typeof data !== 'object' || data === null || Array.isArray(data)) {
      return { error: invalidFields([{ field: part, rule: 'must be a JSON object' }]) };
    }
    const problems: FieldProblem[] = [];
    if ((schema as ObjectSchema).additionalProperties === false) {
      for (const name of Object.keys(data)) {
        if (!Object.hasOwn(properties, name)) problems.push({ field: name, rule: UNKNOWN_FIELD });
      }
    }
    const [first, ...rest] = (schema as ObjectSchema)[ONE_OF_FIELDS] ?? [];
    if (first !== undefined && ![first, ...rest].some((name) => Object.hasOwn(data, name))) {
      problems.push({ field: first, rule: requiredUnless(rest), kind: 'missing' });
    }
    fields ??= compileFields();
    for (const [name, each, checkField] of fields) {
      const rule = misreadFields.get(name);
      if (rule !== undefined) {
        problems.push({ field: name, rule });
      } else if (!Object.hasOwn(data, name)) {
        if (required.includes(name)) problems.push({ field: name, rule: 'is required', kind: 'missing' });
      } else if (!checkField(data[name as keyof object])) {
        problems.push(describeProblem(name, each, checkField));
      }
    }
    if (problems.length === 0) problems.push(describeProblem(part, schema, check));
    return { error: invalidFields(problems) };
  };
}

export function requiredUnless(alternatives: readonly string[]): string {
  return `is required unless ${alternatives.join(' or ')} is sent`;
}

function removeNulls({ properties, required = [], items }: ObjectSchema, data: unknown): void {
  if (typeof data !== 'object' || data === null) return;
  if (Array.isArray(data)) {
    if (items) for (const item of data) removeNulls(items as ObjectSchema, item);
    return;
  }
  const fields = data as Record<string, unknown>;
  for (const name in properties) {
    if (fields[name] === null && !required.includes(name)) delete fields[name];
    else if (typeof fields[name] === 'object') removeNulls(properties[name] as ObjectSchema, fields[name]);
  }
}

const NO_MISREAD_FIELDS: ReadonlyMap<string, string> = new Map();

/** Refuses empty values in strict queries, because a script with an unset variable would otherwise match everything. */
function findMisreadFields(
  { properties = {}, required = [], additionalProperties }: ObjectSchema,
  data: Record<string, unknown>,
): ReadonlyMap<string, string> {
  const isStrict = additionalProperties === false;
  const misreadFields = new Map<string, string>();
  for (const [name, property] of Object.entries(properties)) {
    const { type, [RULE]: rule = 'must be an integer' } = property as { type?: string; [RULE]?: string };
    const value = data[name];
    if (Array.isArray(value) && type !== 'array') misreadFields.set(name, 'must not be sent more than once');
    // JavaScript would also accept 0x10, 1e1 and an empty string as numbers.
    else if (type === 'integer' && typeof value === 'string' && !/^-?\d+$/.test(value)) misreadFields.set(name, rule);
    else if (isStrict && value === '' && !MAY_BE_EMPTY.has(name)) {
      misreadFields.set(name, required.includes(name) ? 'is required' : EMPTY_FIELD);
    }
  }
  return misreadFields;
}

/** Ajv's strict mode refuses a default outside an object. */
function withoutDefault(schema: AnySchema): AnySchema {
  if (typeof schema !== 'object' || !('default' in schema)) return schema;
  const { default: _default, ...rest } = schema;
  return rest;
}

function describeProblem(name: string, schema: AnySchema, check: ValidateFunction): FieldProblem {
  // The last error of an `anyOf` is about the choice itself, or about the one invalid element of a list. An error with the
  // keyword `if` is skipped, because it only repeats that another error occurred.
  const lastError = check.errors?.findLast(({ keyword }) => keyword !== 'if') as ErrorObject;
  if (lastError.keyword === 'propertyNames') return describeName(name, lastError, check);
  const element =
    lastError.keyword === 'anyOf' && check.errors?.find((candidate) => isElementError(candidate, lastError));
  const error = element || lastError;
  const missingPath =
    error.keyword === 'required' ? `/${(error.params as { missingProperty: string }).missingProperty}` : '';
  const field = name + toFieldPath(error.instancePath + missingPath);
  if (missingPath) return { field, rule: 'is required', kind: 'missing' };
  if (error.keyword === 'additionalProperties') {
    const { additionalProperty } = error.params as { additionalProperty: string };
    return { field: `${field}.${additionalProperty}`, rule: UNKNOWN_FIELD };
  }
  const rule = (error.parentSchema?.[RULE] ?? (field === name ? (schema as { [RULE]?: string })[RULE] : undefined)) as
    | string
    | undefined;
  const { type } = error.params as { type?: unknown };
  const exampleSchema = error.keyword === 'type' && (type === 'object' || type === 'array') && error.parentSchema;
  const example = exampleSchema ? `, such as ${writeExample(exampleSchema)}` : '';
  return { field, rule: (rule ?? error.message ?? 'is invalid') + example };
}

/** The last error only names the invalid property; the violated rule is in an earlier error. */
function describeName(name: string, lastError: ErrorObject, { errors }: ValidateFunction): FieldProblem {
  const rule = errors?.find((error) => error.propertyName !== undefined)?.parentSchema?.[RULE] ?? 'has an invalid name';
  const { propertyName } = lastError.params as { propertyName: string };
  return { field: name + toFieldPath(lastError.instancePath), rule: `${rule} (it has ${quote(propertyName)})` };
}

function isElementError({ instancePath }: ErrorObject, { instancePath: list }: ErrorObject): boolean {
  return instancePath.startsWith(`${list}/`) && /^\/\d/.test(instancePath.slice(list.length));
}

/** Converts `/components/0/type` to `.components[0].type`. */
function toFieldPath(pointer: string): string {
  return pointer.replace(/\/([^/]+)/g, (_, step: string) =>
    /^\d+$/.test(step) ? `[${step}]` : `.${step.replaceAll('~1', '/').replaceAll('~0', '~')}`,
  );
}
