import { formatJson } from '../json-text.mjs';
import { listFields } from './fields.mjs';
import { wrap } from './wrap.mjs';

const WIDTH = 110;
const FORM = 'application/x-www-form-urlencoded';

/** The anchor of a heading, as the site and GitHub create it. */
export const toAnchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');

/**
 * Renders an operation as Markdown.
 * @param {object} operation of the OpenAPI document, with `method` and `path`
 * @param {{document: object, examples: object[], level: string}} context `examples`: the recorded ones; `level`: of the heading, such as `##`
 */
export function renderOperation(operation, { document, examples, level }) {
  const { method, path, summary } = operation;
  const [, description, , scope] = /^(.*?)( ?Requires the scope `(.*)`\.)?$/s.exec(operation.description ?? '');
  return [
    `${level} ${summary}\n`,
    `\`${method} ${path}\`${scope ? `, scope \`${scope}\`` : ''}\n`,
    ...(description ? [`${wrap(description)}\n`] : []),
    ...renderFields(operation, document),
    ...examples.flatMap((example) => renderExample(operation, example, examples)),
  ].join('\n');
}

function renderFields(operation, document) {
  const fields = listFields(operation, document);
  if (fields.length === 0) return [];
  const rows = fields.map(({ name, type, required, rule }) => {
    const cells = [`\`${name}\``, type, required, rule];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return [`| field | type | required | rule |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`];
}

function renderExample(operation, example, examples) {
  const { title, response } = example;
  if (response.status >= 400) {
    return [`${title}: ${response.status}\n`, fence('json', formatBody(response.body))];
  }
  const isOnly = examples.filter(({ response: { status } }) => status < 400).length === 1;
  return [
    ...(isOnly ? [] : [`${title}:\n`]),
    // The server of these requests is the reader's.
    fence('sh needs=another-machine', renderCurl(operation, example)),
    ...renderResponse(response),
  ];
}

function renderResponse({ status, body, file }) {
  if (file) return [`The response is the file: ${status}, \`${file.type}\`, ${file.size} bytes.\n`];
  if (body === undefined) return [`The response is ${status} without a body.\n`];
  return [fence('json', formatBody(body))];
}

const formatBody = (body) => formatJson(JSON.stringify(body));

const fence = (language, text) => `\`\`\`${language}\n${text}\n\`\`\`\n`;

function renderCurl(operation, { request = {} }) {
  const { path = {}, query, body, file } = request;
  const filledPath = operation.path.replace(/\{(\w+)\}/g, (_match, name) => path[name]);
  const url = `$BASE_URL${filledPath}`;
  const isPlain = /^[\w$/.-]+$/.test(url);
  const isForm = operation.requestBody?.content?.[FORM] !== undefined;
  const data = file
    ? []
    : body === undefined
      ? []
      : isForm
        ? renderForm(body)
        : [...JSON_HEADER, `-d ${quote(formatBody(body))}`];
  const parts = [
    `curl ${renderMethod(operation.method, data.length > 0 || file)}${isPlain ? url : `"${url}"`}`,
    ...renderKey(operation),
    ...(query ? renderQuery(query) : []),
    ...(file
      ? [
          ...Object.entries(body ?? {}).map(([name, value]) => `-F ${name}=${value}`),
          `-F 'file=@${file.name};type=${file.type}'`,
        ]
      : []),
    ...data,
  ];
  return joinParts(parts);
}

const JSON_HEADER = ["-H 'Content-Type: application/json'"];

function renderMethod(method, hasData) {
  if (method === 'GET' || (method === 'POST' && hasData)) return '';
  return `-X ${method} `;
}

function renderKey({ security = [] }) {
  switch (Object.keys(security[0] ?? {})[0]) {
    case 'bearer':
      return ['-H "Authorization: Bearer $API_KEY"'];
    case 'apiKey':
      return ['-H @keys.txt'];
    case 'channelToken':
      return ['-H "Authorization: Bearer $TOKEN"'];
    case 'accountSid':
      return ['-u $ACCOUNT_SID:$API_KEY'];
    default:
      return [];
  }
}

const renderQuery = (query) => [
  '-G',
  ...Object.entries(query).map(([name, value]) =>
    /^[\w.,-]+$/.test(String(value)) ? `-d ${name}=${value}` : `--data-urlencode ${quote(`${name}=${value}`)}`,
  ),
];

const renderForm = (body) =>
  Object.entries(body).flatMap(([name, value]) =>
    [value].flat().map((entry) => `--data-urlencode ${quote(`${name}=${entry}`)}`),
  );

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Breaks a command where a line would get too long. */
function joinParts(parts) {
  const lines = [''];
  for (const part of parts) {
    const line = lines.at(-1);
    const [first] = part.split('\n');
    if (line !== '' && line.length + 1 + first.length > WIDTH) lines.push(`  ${part}`);
    else lines[lines.length - 1] = line === '' ? part : `${line} ${part}`;
  }
  return lines.join(' \\\n');
}
