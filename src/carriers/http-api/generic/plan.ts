import type { ReceiptStatus } from '../../carrier.js';
import { type Expression, parseExpression } from '../answer/expression.js';
import { parsePath } from '../answer/json-path.js';
import { compilePattern, UnsupportedPattern } from '../answer/pattern.js';
import { byAddress, byBasic, byHmac, bySecretInPath, requireAll } from '../callbacks/verify.js';
import type { AuthPlan, Finder, Plan, PollPlan, ReportPath } from '../plan.js';
import type { JsonTemplate } from '../request/template.js';
import type { GenericSettings } from './settings.js';

export function buildGenericPlan(settings: GenericSettings): Plan {
  const { url, method, query, headers, form, json } = settings;
  return {
    vendor: new URL(url.replace(/[{}]/g, '')).hostname,
    ids: settings.receiptOurId ? (usesAttemptIds(settings) ? 'attempts' : 'ours') : 'vendor',
    send: {
      ...{ method, url },
      ...(query && { query }),
      ...(headers && { headers }),
      ...(form && { form }),
      ...(json !== undefined && { json: json as JsonTemplate }),
    },
    auth: toAuthPlan(settings),
    answer: {
      success: readPattern(() => parseExpression(settings.success), ANY_SUCCESS),
      id: toFinder(settings.idPath, settings.idPattern),
      code: toFinder(settings.codePath, settings.codePattern),
      message: toFinder(settings.messagePath, undefined),
      meanings: {
        final: splitList(settings.finalCodes),
        again: splitList(settings.againCodes),
        throttled: splitList(settings.throttledCodes),
        credit: splitList(settings.creditCodes),
        credentials: splitList(settings.credentialCodes),
      },
    },
    encodings: { gsm7: settings.encodingGsm, ucs2: settings.encodingUcs2 },
    shortestValidity: 1,
    longestValidity: 3 * 86_400,
    balance:
      settings.balanceUrl === undefined
        ? null
        : {
            request: { method: 'GET', url: settings.balanceUrl },
            amount: toFinder(settings.balancePath, undefined) ?? { pattern: /(-?\d+(?:\.\d+)?)/ },
            currency: null,
          },
    publicUrl: settings.publicUrl ?? null,
    receiptsTo: settings.receiptId !== undefined && settings.receiptStatus !== undefined ? 'receipts' : null,
    pathSecret: settings.callbackSecret ?? null,
    receipts: toReceiptPlan(settings),
    inbound: toInboundPlan(settings),
    sns: null,
    verify: toVerify(settings),
    callbackAnswer: settings.callbackAnswer,
    polls: toPollPlans(settings),
    ratePerSecond: settings.ratePerSecond ?? null,
    parallel: settings.parallel,
    timeoutMs: settings.timeoutMs,
  };
}

function usesAttemptIds({ url, query, headers, form, json, receiptId }: GenericSettings): boolean {
  const request = JSON.stringify([url, query, headers, form, json]);
  return request.includes('{attempt_id}') || (receiptId === '?message' && request.includes('{receipt_url}'));
}

function toAuthPlan({ authentication, ...settings }: GenericSettings): AuthPlan {
  const { username = '', usernameName, secret = '', secretName = '', tokenUrl = '', scope = null } = settings;
  const values = { ...(usernameName !== undefined && { [usernameName]: username }), [secretName]: secret };
  switch (authentication) {
    case 'none':
      return { kind: 'none' };
    case 'basic':
      return { kind: 'basic', username, password: secret };
    case 'bearer':
      return { kind: 'bearer', token: secret };
    case 'header':
      return { kind: 'header', name: secretName.toLowerCase(), value: secret };
    case 'query':
    case 'form':
      return { kind: authentication, values };
    case 'oauth':
      return { kind: 'oauth', tokenUrl, clientId: username, clientSecret: secret, scope };
  }
}

function toFinder(path: string | undefined, pattern: string | undefined): Finder | null {
  if (path !== undefined) return { paths: [parsePath(path)] };
  return pattern === undefined ? null : readPattern(() => ({ pattern: compilePattern(pattern) }), null);
}

const ANY_SUCCESS: Expression = ({ status }) => status !== null && status >= 200 && status <= 299;

/**
 * Returns the fallback if an earlier version saved a pattern that is not supported any more, so that the carrier can
 * still send.
 */
function readPattern<T, Other>(read: () => T, fallback: Other): T | Other {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnsupportedPattern) return fallback;
    throw error;
  }
}

export function splitList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function toReportPath(path: string): ReportPath {
  const inQuery = path.startsWith('?');
  return [{ inQuery, path: parsePath(inQuery ? path.slice(1) : path) }];
}

const toOptionalPath = (path: string | undefined) => (path === undefined ? null : toReportPath(path));

function toReceiptPlan(settings: GenericSettings): Plan['receipts'] {
  const { receiptItems = '', receiptId, receiptStatus, receiptStates = {} } = settings;
  if (receiptId === undefined || receiptStatus === undefined) return null;
  const states = Object.entries(receiptStates).map(([word, state]) => [
    word.toLowerCase(),
    state === 'none' ? null : (state as ReceiptStatus),
  ]);
  return {
    items: parsePath(receiptItems),
    when: null,
    id: toReportPath(receiptId),
    status: toReportPath(receiptStatus),
    states: Object.fromEntries(states) as Record<string, ReceiptStatus | null>,
    code: toOptionalPath(settings.receiptCode),
    message: toOptionalPath(settings.receiptMessage),
    at: toOptionalPath(settings.receiptAt),
  };
}

function toInboundPlan(settings: GenericSettings): Plan['inbound'] {
  const { inboundItems = '', inboundFrom, inboundTo, inboundText } = settings;
  if (inboundFrom === undefined || inboundTo === undefined || inboundText === undefined) return null;
  return {
    items: parsePath(inboundItems),
    when: null,
    id: toOptionalPath(settings.inboundId),
    from: toReportPath(inboundFrom),
    to: toReportPath(inboundTo),
    text: toReportPath(inboundText),
    at: toOptionalPath(settings.inboundAt),
    part: null,
  };
}

function toVerify(settings: GenericSettings): Plan['verify'] {
  const { callbackSecret, callbackUsername, callbackPassword, callbackSignatureHeader, callbackSignatureSecret } =
    settings;
  const addresses = splitList(settings.callbackAddresses);
  return requireAll([
    callbackSecret === undefined ? null : bySecretInPath(callbackSecret),
    callbackPassword === undefined ? null : byBasic(callbackUsername ?? '', callbackPassword),
    callbackSignatureHeader === undefined || callbackSignatureSecret === undefined
      ? null
      : byHmac({
          header: callbackSignatureHeader,
          secret: callbackSignatureSecret,
          algorithm: settings.callbackSignatureAlgorithm,
          encoding: settings.callbackSignatureEncoding,
          prefix: settings.callbackSignaturePrefix ?? '',
        }),
    addresses.length === 0 ? null : byAddress(addresses),
  ]);
}

function toPollPlans(settings: GenericSettings): PollPlan[] {
  const { pollReceiptUrl, pollReceiptsUrl, pollInboundUrl, pollSeconds: everySeconds } = settings;
  const createPlans = (kind: PollPlan['kind'], url: string | undefined, perMessage: boolean): PollPlan[] =>
    url === undefined ? [] : [{ kind, everySeconds, perMessage, request: { method: 'GET', url } }];
  return [
    ...createPlans('receipts', pollReceiptUrl, true),
    ...createPlans('receipts', pollReceiptsUrl, false),
    ...createPlans('inbound', pollInboundUrl, false),
  ];
}
