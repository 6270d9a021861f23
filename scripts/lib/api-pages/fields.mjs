/** Fields of fields of fields are left out: guides explain them. */
const MAX_DEPTH = 2;

const IDEMPOTENCY_RULE = 'For 24 hours, a repeated key with the same body returns the first response.';

/**
 * Lists the parameters and the fields of the body of an operation.
 * @returns {{name: string, type: string, required: string, rule: string}[]}
 */
export function listFields(operation, document) {
  const parameters = (operation.parameters ?? []).filter(({ in: where }) => where !== 'header');
  const headers = (operation.parameters ?? []).filter(({ in: where }) => where === 'header');
  const order = { path: 0, query: 1 };
  parameters.sort((a, b) => order[a.in] - order[b.in]);
  const [body] = Object.values(operation.requestBody?.content ?? {});
  return [
    ...parameters.map((parameter) => ({
      name: parameter.name,
      type: `${toType(parameter.schema)}, ${parameter.in}`,
      required: parameter.required ? 'yes' : '',
      rule: toRule({ ...parameter.schema, description: parameter.description }),
    })),
    ...(body ? listBodyFields(resolve(body.schema, document), { document, prefix: '', parent: '', depth: 1 }) : []),
    ...headers.map(({ name, schema }) => ({
      name,
      type: `${toType(schema)}, header`,
      required: '',
      rule: name === 'Idempotency-Key' ? IDEMPOTENCY_RULE : toRule(schema),
    })),
  ];
}

function listBodyFields(schema, { document, prefix, parent, depth }) {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, property]) => {
    const field = resolve(property, document);
    const path = `${prefix}${name}`;
    const nested = field.items ? resolve(field.items, document) : field;
    const isNested = depth < MAX_DEPTH && nested.properties && Object.keys(nested.properties).length > 0;
    return [
      {
        name: path,
        type: toType(field),
        required: required.includes(name) ? (parent === '' ? 'yes' : `in \`${parent}\``) : '',
        rule: toRule(field),
      },
      ...(isNested
        ? listBodyFields(nested, {
            document,
            prefix: `${path}${field.items ? '[]' : ''}.`,
            parent: path,
            depth: depth + 1,
          })
        : []),
    ];
  });
}

function resolve(schema, document) {
  if (typeof schema.$ref !== 'string') return schema;
  return schema.$ref
    .slice(2)
    .split('/')
    .reduce((part, key) => part[key], document);
}

/** null is left out: it counts as absent wherever it is allowed. */
function toType({ type, format, anyOf, items, ...rest }) {
  if (anyOf) return [...new Set(anyOf.filter((option) => option.type !== 'null').map(toType))].join(' or ');
  const names = [type].flat().filter((name) => name !== undefined && name !== 'null');
  if (format === 'binary') return 'file';
  if (names.length === 0) return rest.enum || rest.const ? 'string' : 'any';
  return names.map((name) => (name === 'array' ? `${items ? toType(items) : 'any'} list` : name)).join(' or ');
}

/** What a field is for, then the rule that an error names, unless it says nothing more. */
function toRule({ 'x-rule': errorRule, description = '', default: fallback, enum: values, minimum, maximum }) {
  const purpose = description.replace(/(?:An e|E)xtension of the contract(?: in version 1\.0)?[.:] ?/g, '').trim();
  const rule = toSentence({ errorRule, values, minimum, maximum });
  const isDefaultKnown = fallback === undefined || /default/i.test(purpose);
  return [
    capitalize(purpose),
    isImplied(rule, purpose) ? '' : rule,
    isDefaultKnown ? '' : `Default: \`${JSON.stringify(fallback)}\`.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
    .replace(/\s+/g, ' ');
}

/** Rules that the type shows too. */
const TRIVIAL = /^(?:A string|A text|A non-empty string|An object|True or false|A string or an integer)\.$/;

function toSentence({ errorRule, values, minimum, maximum }) {
  const names = values?.filter((value) => value !== null) ?? [];
  if (names.length > 20) return `One of ${names.length} words, such as \`${names[0]}\`.`;
  if (names.length > 0)
    return `${names.length > 1 ? 'One of ' : ''}${names.map((name) => `\`${JSON.stringify(name).slice(1, -1)}\``).join(', ')}.`;
  if (errorRule !== undefined) return `${capitalize(errorRule.replace(/^must be /, ''))}.`;
  return minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}.` : '';
}

function isImplied(rule, purpose) {
  if (TRIVIAL.test(rule)) return true;
  const listWords = (text) => text.toLowerCase().match(/[\w.-]*\w/g) ?? [];
  const words = new Set(listWords(purpose));
  return rule.startsWith('One of') ? false : listWords(rule).every((word) => words.has(word) || word.length < 3);
}

const capitalize = (text) =>
  /^(?:true|false|http)/.test(text) ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
