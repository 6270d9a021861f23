import type { BuiltRequest } from './draft.js';
import type { Operation } from './operations.js';

/** Environment variables from which code samples read credentials, so that no secret is copied into source code. */
const VARIABLES = {
  a: [['Authorization', 'Bearer ', 'HELIOGRAPH_KEY']],
  b: [
    ['X-API-Key', '', 'HELIOGRAPH_KEY'],
    ['X-API-Secret', '', 'HELIOGRAPH_SECRET'],
    ['X-Channel-Id', '', 'HELIOGRAPH_CHANNEL'],
  ],
} as const;

export const LANGUAGES = ['curl', 'JavaScript', 'Python'] as const;
export type Language = (typeof LANGUAGES)[number];

export function buildSnippet(
  language: Language,
  surface: Operation['surface'],
  origin: string,
  request: BuiltRequest,
): string {
  return { curl, JavaScript: javaScript, Python: python }[language](surface, `${origin}${request.path}`, request);
}

function curl(surface: Operation['surface'], url: string, { method, headers, body }: BuiltRequest): string {
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuote(url)}`,
    ...VARIABLES[surface].map(([name, prefix, variable]) => `-H "${name}: ${prefix}$${variable}"`),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-d ${shellQuote(body)}`]),
  ].join(' \\\n  ');
}

function javaScript(surface: Operation['surface'], url: string, { method, headers, body }: BuiltRequest): string {
  const lines = [
    ...VARIABLES[surface].map(([name, prefix, variable]) =>
      prefix ? `    '${name}': \`${prefix}\${process.env.${variable}}\`,` : `    '${name}': process.env.${variable},`,
    ),
    ...Object.entries(headers).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
  ];
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: '${method}',`,
    '  headers: {',
    ...lines,
    '  },',
    ...(body === null ? [] : [`  body: JSON.stringify(${indentLines(formatJson(body), '  ')}),`]),
    '});',
    'console.log(response.status, await response.json());',
  ].join('\n');
}

function python(surface: Operation['surface'], url: string, { method, headers, body }: BuiltRequest): string {
  const lines = [
    ...VARIABLES[surface].map(
      ([name, prefix, variable]) => `        "${name}": ${prefix ? `"${prefix}" + ` : ''}os.environ["${variable}"],`,
    ),
    ...Object.entries(headers).map(([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
  ];
  return [
    'import json, os, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(url)},`,
    `    method="${method}",`,
    '    headers={',
    ...lines,
    '    },',
    ...(body === null ? [] : [`    data=${JSON.stringify(formatJson(body, 0))}.encode(),`]),
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    print(response.status, json.load(response))',
  ].join('\n');
}

function shellQuote(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

function formatJson(body: string, indent = 2): string {
  try {
    return JSON.stringify(JSON.parse(body), null, indent);
  } catch {
    return body;
  }
}

function indentLines(value: string, by: string): string {
  return value.replaceAll('\n', `\n${by}`);
}
