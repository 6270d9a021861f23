import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { parseExpression } from '../answer/expression.js';
import { parsePath } from '../answer/json-path.js';
import { compilePattern, UnsupportedPattern } from '../answer/pattern.js';
import { byAddress } from '../callbacks/verify.js';
import { findUnknownVariables } from '../request/template.js';
import { splitList } from './plan.js';
import type { GenericSettings } from './settings.js';

const PATHS = [
  'idPath',
  'codePath',
  'messagePath',
  'balancePath',
  'receiptItems',
  'receiptId',
  'receiptStatus',
  'receiptCode',
  'receiptMessage',
  'receiptAt',
  'inboundItems',
  'inboundId',
  'inboundFrom',
  'inboundTo',
  'inboundText',
  'inboundAt',
] as const satisfies readonly (keyof GenericSettings)[];

const TEMPLATES = [
  'url',
  'query',
  'headers',
  'form',
  'json',
  'pollReceiptUrl',
] as const satisfies readonly (keyof GenericSettings)[];

/** Headers that the HTTP client sets or that delimit the body. */
const RESERVED_HEADERS = /^(?:host|content-length|transfer-encoding|connection|content-type|accept|expect|upgrade)$/i;

/** In each pair, the second setting is required if the first is set. */
const REQUIRED_WITH: readonly (readonly [keyof GenericSettings, keyof GenericSettings])[] = [
  ['receiptId', 'receiptStatus'],
  ['receiptStatus', 'receiptId'],
  ['receiptStatus', 'receiptStates'],
  ['inboundFrom', 'inboundTo'],
  ['inboundTo', 'inboundText'],
  ['inboundText', 'inboundFrom'],
  ['callbackUsername', 'callbackPassword'],
  ['callbackSignatureHeader', 'callbackSignatureSecret'],
  ['callbackSignatureSecret', 'callbackSignatureHeader'],
  ['pollReceiptUrl', 'receiptStatus'],
  ['pollReceiptsUrl', 'receiptStatus'],
  ['pollInboundUrl', 'inboundFrom'],
];

export function findGenericProblems(settings: GenericSettings): string[] {
  const problems = [...findBodyProblems(settings), ...findAuthProblems(settings), ...findReadingProblems(settings)];
  for (const [name, requiredName] of REQUIRED_WITH) {
    if (settings[name] !== undefined && settings[requiredName] === undefined) {
      problems.push(`${requiredName} must be set with ${name}`);
    }
  }
  const { publicUrl, receiptStatus, inboundFrom } = settings;
  const receivesCalls = publicUrl !== undefined && (receiptStatus !== undefined || inboundFrom !== undefined);
  const verification =
    settings.callbackSecret ??
    settings.callbackPassword ??
    settings.callbackSignatureSecret ??
    settings.callbackAddresses;
  if (receivesCalls && verification === undefined) {
    problems.push(
      'callbackSecret, callbackPassword, callbackSignatureSecret or callbackAddresses must be set with publicUrl: otherwise anyone could send reports',
    );
  }
  return problems;
}

function findBodyProblems({ form, json, method, headers = {}, ...settings }: GenericSettings): string[] {
  const problems: string[] = [];
  if (form !== undefined && json !== undefined) problems.push('form and json must not both be set');
  if (json !== undefined && (typeof json !== 'object' || json === null))
    problems.push('json must be an object or a list, such as {"to": "{to}", "text": "{text}"}');
  if (method === 'GET' && (form ?? json) !== undefined) problems.push('method must not be GET with form or json');
  const forbidden = Object.keys(headers).filter((name) => RESERVED_HEADERS.test(name) || !/^[A-Za-z0-9-]+$/.test(name));
  if (forbidden.length > 0) problems.push(`headers must not set ${forbidden.join(', ')}`);
  if (Object.values(headers).some((value) => /[^\x20-\x7e]/.test(value))) {
    problems.push('headers must contain only printable ASCII characters');
  }
  const values = { form, json, method, headers, ...settings };
  for (const name of TEMPLATES) {
    const unknown = findUnknownVariables(JSON.stringify(values[name] ?? ''));
    if (unknown.length > 0) problems.push(`${name} contains {${unknown.join('}, {')}}, which is not a variable`);
  }
  if (/^https?:\/\/[^/?#]*\{/.test(settings.url)) problems.push('url must not contain a variable in its host');
  if (!URL.canParse(settings.url.replace(/[{}]/g, ''))) problems.push('url must be a URL');
  return problems;
}

function findAuthProblems({ authentication, username, secret, secretName, tokenUrl, form }: GenericSettings): string[] {
  const requiredSettings: Record<GenericSettings['authentication'], Record<string, unknown>> = {
    none: {},
    basic: { username, secret },
    bearer: { secret },
    header: { secret, secretName },
    query: { secret, secretName },
    form: { secret, secretName, form },
    oauth: { username, secret, tokenUrl },
  };
  return Object.entries(requiredSettings[authentication])
    .filter(([, value]) => value === undefined)
    .map(([name]) => `${name} must be set with authentication ${authentication}`);
}

function findReadingProblems(settings: GenericSettings): string[] {
  const problems = PATHS.flatMap((name) =>
    settings[name] === undefined ? [] : findProblem(name, () => parsePath(String(settings[name]).replace(/^\?/, ''))),
  );
  problems.push(...findProblem('success', () => parseExpression(settings.success)));
  for (const name of ['idPattern', 'codePattern'] as const) {
    const pattern = settings[name];
    if (pattern === undefined) continue;
    if (!/\((?!\?[:=!<])/.test(pattern)) problems.push(`${name} must contain a group in parentheses`);
  }
  problems.push(...findProblem('callbackAddresses', () => byAddress(splitList(settings.callbackAddresses))));
  return problems;
}

function findProblem(name: string, read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    // Unsupported patterns are rejected on saving, but a carrier that already has an unsupported pattern must still open.
    if (error instanceof UnsupportedPattern) return [];
    return [`${name} ${(error as Error).message}`];
  }
}

export function findUnsupportedPatterns({ success, idPattern, codePattern }: Partial<GenericSettings>): FieldProblem[] {
  const settings: [field: string, text: string | undefined, parse: (text: string) => unknown][] = [
    ['success', success, parseExpression],
    ['idPattern', idPattern, compilePattern],
    ['codePattern', codePattern, compilePattern],
  ];
  return settings.flatMap(([field, text, parse]) => {
    try {
      if (text !== undefined) parse(text);
    } catch (error) {
      if (error instanceof UnsupportedPattern) return [{ field, rule: error.message }];
    }
    return [];
  });
}
