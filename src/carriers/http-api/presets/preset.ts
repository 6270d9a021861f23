import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import type { CarrierPreset } from '../../carrier-type.js';
import type { SettingValues } from '../../settings.js';
import { parseExpression } from '../answer/expression.js';
import { parsePath } from '../answer/json-path.js';
import { allOf, bySecretInPath } from '../callbacks/verify.js';
import type { Finder, InboundPlan, Plan, ReceiptPlan, ReportPath } from '../plan.js';

/** What an API of a vendor is set up by, and how it is spoken. */
export interface HttpPreset extends CarrierPreset {
  plan(settings: SettingValues): Plan;
}

/** What a preset says of itself. */
export interface PresetOptions<Own extends TProperties> {
  /** What has to be done at the vendor. */
  help: string;
  /** Its own settings, those that are secret made by `secret`; those that every one has come with them. */
  settings: Own;
  /** Where the API is; null: the operator says so. */
  baseUrl: string | null;
  /** Further settings that say whom this server connects to. */
  destinations?: readonly (keyof Own & string)[];
  /** Whether what the vendor reports is told by a secret in the path: the vendor signs nothing, or need not, or nothing is to be done for calls without it. */
  hasPathSecret?: boolean;
  /** Messages per second, unless the operator says otherwise; null: no limit. */
  ratePerSecond?: number;
  problems?(settings: Static<TObject<Own>> & CommonSettings): string[];
  plan(settings: Static<TObject<Own>> & CommonSettings): PresetPlan;
}

/** A plan without what is left out in most: reports are one item, of which nothing more is told. */
type PresetPlan = Pick<Plan, 'send' | 'auth' | 'answer'> &
  Partial<Omit<Plan, 'receipts' | 'inbound'>> & {
    receipts?: Pick<ReceiptPlan, 'id' | 'status' | 'states'> & Partial<ReceiptPlan>;
    inbound?: Pick<InboundPlan, 'id' | 'from' | 'to' | 'text'> & Partial<InboundPlan>;
  };

/** Settings that every preset has. */
export interface CommonSettings {
  baseUrl: string;
  publicUrl?: string;
  callbackSecret?: string;
  ratePerSecond?: number;
  parallel: number;
  timeoutMs: number;
}

const URL_PATTERN = '^https?://[^\\s?#]*[^\\s?#/]$';

/** How fast messages leave, and how long an answer may take. */
export const LIMITS = {
  ratePerSecond: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: 10_000,
      description: 'Messages per second of each worker process; left out: as many as there are.',
    }),
  ),
  parallel: Type.Integer({
    minimum: 1,
    maximum: 256,
    default: 20,
    description: 'Requests of each worker process that may be unanswered at once.',
  }),
  timeoutMs: Type.Integer({
    minimum: 100,
    maximum: 120_000,
    default: 20_000,
    description:
      'How long an answer may take, in milliseconds. A message whose answer is late goes out once more at most.',
  }),
};

export const PUBLIC_URL = Type.Optional(
  Type.String({
    pattern: URL_PATTERN,
    description:
      'Where this server is reached from outside, e.g. https://sms.example.com: receipts are asked to be sent there. Left out: none are.',
  }),
);

/** A word for paths: it stands in addresses as it is. */
export const PATH_SECRET = Type.String({
  pattern: '^[A-Za-z0-9_.-]{16,128}$',
  description: 'A word of your own, at least 16 letters and digits, which ends the addresses that the vendor calls.',
});

/**
 * Makes a preset, with the settings that every one has.
 * @param name as settings name it
 * @param title what the vendor is called
 */
export function definePreset<const Own extends TProperties>(
  name: string,
  title: string,
  options: PresetOptions<Own>,
): HttpPreset {
  const { help, settings: own, baseUrl, hasPathSecret = false } = options;
  const properties: TProperties = {
    preset: Type.Unsafe<string>({ type: 'string', enum: [name], description: 'The vendor.' }),
    ...own,
    baseUrl: Type.String({
      pattern: URL_PATTERN,
      ...(baseUrl !== null && { default: baseUrl }),
      description: 'Where the API is.',
    }),
    publicUrl: PUBLIC_URL,
    ...(hasPathSecret && { callbackSecret: Type.Optional(PATH_SECRET) }),
    ...LIMITS,
    ...(options.ratePerSecond !== undefined && {
      ratePerSecond: Type.Number({
        ...LIMITS.ratePerSecond,
        default: options.ratePerSecond,
        description: 'Messages per second of each worker process.',
      }),
    }),
  };
  const settings: TObject = Type.Object(properties, { additionalProperties: false });
  return {
    ...{ name, title, help, settings },
    secrets: [...secretsOf(own), ...(hasPathSecret ? ['callbackSecret'] : [])],
    destinations: ['baseUrl', 'publicUrl', ...(options.destinations ?? [])],
    problems: (given) => {
      const all = given as Static<TObject<Own>> & CommonSettings;
      const lacks = hasPathSecret && all.publicUrl !== undefined && all.callbackSecret === undefined;
      return [
        ...(lacks ? ['callbackSecret must be set with publicUrl: without it no call of the vendor is taken'] : []),
        ...(options.problems?.(all) ?? []),
      ];
    },
    plan: (given) => {
      const all = given as Static<TObject<Own>> & CommonSettings;
      const { receipts, inbound, verify = null, ...plan } = options.plan(all);
      const { callbackSecret } = all;
      return {
        ...plain(title, all),
        ...plan,
        receipts: receipts ? { items: [], when: null, code: null, message: null, at: null, ...receipts } : null,
        inbound: inbound ? { items: [], when: null, at: null, part: null, ...inbound } : null,
        verify: allOf([callbackSecret === undefined ? null : bySecretInPath(callbackSecret), verify]),
      };
    },
  };
}

function plain(vendor: string, settings: CommonSettings) {
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

/** A text that must be set. */
export function text(description: string, options: object = {}) {
  return Type.String({ minLength: 1, maxLength: 500, description, ...options });
}

const SECRET = Symbol('secret');

/** A text that must be set, and that nobody is shown again. */
export function secret(description: string, options: object = {}) {
  return text(description, { ...options, [SECRET]: true });
}

function secretsOf(settings: TProperties): string[] {
  return Object.keys(settings).filter((name) => settings[name]?.[SECRET as never] === true);
}

export const when = parseExpression;

/** A place in the JSON of an answer, or the first of several where something stands. */
export function at(...paths: string[]): Finder {
  return { paths: paths.map(parsePath) };
}

/** A place in a report; with `?` in the query of the call. */
export function field(...paths: string[]): ReportPath {
  return paths.map((path) => {
    const inQuery = path.startsWith('?');
    return { inQuery, path: parsePath(inQuery ? path.slice(1) : path) };
  });
}

/** Fields of a report that is flat. */
export function fields<Names extends string>(names: Readonly<Record<Names, string>>): Record<Names, ReportPath> {
  const entries = Object.entries<string>(names).map(([name, path]) => [name, field(path)]);
  return Object.fromEntries(entries) as Record<Names, ReportPath>;
}

/** States of vendors whose words are ours. */
export const OUR_WORDS = {
  queued: null,
  sent: null,
  delivered: 'delivered',
  read: 'read',
  undelivered: 'undelivered',
  failed: 'failed',
} as const;
