import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import type { CarrierPreset } from '../../carrier-type.js';
import type { SettingValues } from '../../settings.js';
import { parseExpression } from '../answer/expression.js';
import { parsePath } from '../answer/json-path.js';
import { bySecretInPath, requireAll } from '../callbacks/verify.js';
import type { Finder, InboundPlan, Plan, ReceiptPlan, ReportPath } from '../plan.js';

export interface HttpPreset extends CarrierPreset {
  buildPlan(settings: SettingValues): Plan;
}

export interface PresetOptions<Own extends TProperties> {
  help: string;
  /** Secret settings are marked with `secret`. */
  settings: Own;
  /** Default base URL, or null if the operator must enter the URL. */
  baseUrl: string | null;
  /** Settings of this preset that determine where this server connects. */
  destinations?: readonly (keyof Own & string)[];
  /** Adds a secret to the callback URL, for vendors that do not sign all of their calls. */
  hasPathSecret?: boolean;
  ratePerSecond?: number;
  repliesToKeywords?: true;
  findProblems?(settings: Static<TObject<Own>> & CommonSettings): string[];
  buildPlan(settings: Static<TObject<Own>> & CommonSettings): PresetPlan;
}

/** If a plan has no `items`, the whole report is a single item. */
type PresetPlan = Pick<Plan, 'send' | 'auth' | 'answer'> &
  Partial<Omit<Plan, 'receipts' | 'inbound'>> & {
    receipts?: Pick<ReceiptPlan, 'id' | 'status' | 'states'> & Partial<ReceiptPlan>;
    inbound?: Pick<InboundPlan, 'id' | 'from' | 'to' | 'text'> & Partial<InboundPlan>;
  };

export interface CommonSettings {
  baseUrl: string;
  publicUrl?: string;
  callbackSecret?: string;
  ratePerSecond?: number;
  parallel: number;
  timeoutMs: number;
}

const URL_PATTERN = '^https?://[^\\s?#]*[^\\s?#/]$';

export const LIMITS = {
  ratePerSecond: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: 10_000,
      description: 'Messages per second and worker process. Left out: no limit.',
    }),
  ),
  parallel: Type.Integer({
    minimum: 1,
    maximum: 256,
    default: 20,
    description: 'Concurrent requests per worker process.',
  }),
  timeoutMs: Type.Integer({
    minimum: 100,
    maximum: 120_000,
    default: 20_000,
    description: 'Timeout for a response, in milliseconds. A message without a response is sent at most once more.',
  }),
};

export const PUBLIC_URL = Type.Optional(
  Type.String({
    pattern: URL_PATTERN,
    description:
      'Public URL of this server, e.g. https://sms.example.com. The vendor sends receipts and inbound messages to URLs below it: receipts to a URL in each request if the vendor supports that, otherwise to a URL that you enter at the vendor. Left out: the vendor does not call this server.',
  }),
);

/** The pattern allows only characters that need no encoding in URLs. */
export const PATH_SECRET = Type.String({
  pattern: '^[A-Za-z0-9_.-]{16,128}$',
  description: 'A secret of your choice, at least 16 letters and digits. It ends the URLs that the vendor calls.',
});

export function definePreset<const Own extends TProperties>(
  name: string,
  title: string,
  options: PresetOptions<Own>,
): HttpPreset {
  const { help, settings: ownSettings, baseUrl, hasPathSecret = false } = options;
  const properties: TProperties = {
    preset: Type.Unsafe<string>({ type: 'string', enum: [name], description: 'The vendor.' }),
    ...ownSettings,
    baseUrl: Type.String({
      pattern: URL_PATTERN,
      ...(baseUrl !== null && { default: baseUrl }),
      description: 'URL of the API.',
    }),
    publicUrl: PUBLIC_URL,
    ...(hasPathSecret && { callbackSecret: Type.Optional(PATH_SECRET) }),
    ...LIMITS,
    ...(options.ratePerSecond !== undefined && {
      ratePerSecond: Type.Number({
        ...LIMITS.ratePerSecond,
        default: options.ratePerSecond,
        description: 'Messages per second and worker process.',
      }),
    }),
  };
  const settings: TObject = Type.Object(properties, { additionalProperties: false });
  return {
    ...{ name, title, help, settings },
    secrets: [...listSecretNames(ownSettings), ...(hasPathSecret ? ['callbackSecret'] : [])],
    destinations: ['baseUrl', 'publicUrl', ...(options.destinations ?? [])],
    ...(options.repliesToKeywords && { repliesToKeywords: true }),
    findProblems: (values) => {
      const typedSettings = values as Static<TObject<Own>> & CommonSettings;
      const lacksSecret =
        hasPathSecret && typedSettings.publicUrl !== undefined && typedSettings.callbackSecret === undefined;
      return [
        ...(lacksSecret
          ? ['callbackSecret must be set with publicUrl: calls of the vendor cannot be verified without it']
          : []),
        ...(options.findProblems?.(typedSettings) ?? []),
      ];
    },
    buildPlan: (values) => {
      const typedSettings = values as Static<TObject<Own>> & CommonSettings;
      const { receipts, inbound, verify = null, ...plan } = options.buildPlan(typedSettings);
      const { callbackSecret } = typedSettings;
      return {
        ...buildDefaultPlan(title, typedSettings),
        ...plan,
        receipts: receipts ? { items: [], when: null, code: null, message: null, at: null, ...receipts } : null,
        inbound: inbound ? { items: [], when: null, at: null, part: null, ...inbound } : null,
        verify: requireAll([callbackSecret === undefined ? null : bySecretInPath(callbackSecret), verify]),
      };
    },
  };
}

function buildDefaultPlan(vendor: string, settings: CommonSettings) {
  return {
    vendor,
    ids: 'vendor',
    encodings: { gsm7: 'gsm7', ucs2: 'ucs2' },
    shortestValidity: 1,
    longestValidity: 3 * 86_400,
    balance: null,
    sns: null,
    publicUrl: settings.publicUrl ?? null,
    receiptsTo: null,
    pathSecret: settings.callbackSecret ?? null,
    callbackAnswer: '',
    polls: [],
    ratePerSecond: settings.ratePerSecond ?? null,
    parallel: settings.parallel,
    timeoutMs: settings.timeoutMs,
  } as const satisfies Omit<Plan, 'send' | 'auth' | 'answer' | 'receipts' | 'inbound' | 'verify'>;
}

export function text(description: string, options: object = {}) {
  return Type.String({ minLength: 1, maxLength: 500, description, ...options });
}

const SECRET = Symbol('secret');

export function secret(description: string, options: object = {}) {
  return text(description, { ...options, [SECRET]: true });
}

function listSecretNames(settings: TProperties): string[] {
  return Object.keys(settings).filter((name) => settings[name]?.[SECRET as never] === true);
}

export const condition = parseExpression;

export function fromAnswer(...paths: string[]): Finder {
  return { paths: paths.map(parsePath) };
}

/** Uses the first path that has a value. Paths with `?` read the query of the call. */
export function field(...paths: string[]): ReportPath {
  return paths.map((path) => {
    const inQuery = path.startsWith('?');
    return { inQuery, path: parsePath(inQuery ? path.slice(1) : path) };
  });
}

export function fields<Names extends string>(names: Readonly<Record<Names, string>>): Record<Names, ReportPath> {
  const entries = Object.entries<string>(names).map(([name, path]) => [name, field(path)]);
  return Object.fromEntries(entries) as Record<Names, ReportPath>;
}

export const COMMON_STATES = {
  queued: null,
  sent: null,
  delivered: 'delivered',
  read: 'read',
  undelivered: 'undelivered',
  failed: 'failed',
} as const;
