import { Type } from '@sinclair/typebox';
import type {
  Carrier,
  CarrierSinks,
  CarrierState,
  OutboundMessage,
  Submission,
} from '../../../src/carriers/carrier.js';
import { CarrierError } from '../../../src/carriers/carrier-error.js';
import type { CarrierContext, CarrierType } from '../../../src/carriers/carrier-type.js';
import type { PrismaClient } from '../../../src/platform/generated/prisma/client.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../accounts.js';
import { forEachTest, suiteApp } from '../suite.js';
import type { TestApp } from '../test-app.js';

/** What a scripted carrier does with a message: takes it or throws. */
export type Script = (message: OutboundMessage) => Submission | Promise<Submission>;

/** A carrier that does what a test tells it, with one id per message unless told. */
export class ScriptedCarrier implements Carrier {
  readonly name: string;
  readonly type = 'scripted';
  readonly ratePerSecond = null;
  readonly needsReferences = true;
  readonly settings: Record<string, unknown>;
  readonly submitted: OutboundMessage[] = [];
  script: Script = ({ id }) => ({ carrierMessageId: `${this.name}-${id}` });
  current: CarrierState = { up: true };
  sinks: CarrierSinks | null = null;
  closed = false;

  constructor({ name, settings }: CarrierContext) {
    this.name = name;
    this.settings = settings;
  }

  state(): CarrierState {
    return this.current;
  }

  async submit(message: OutboundMessage): Promise<Submission> {
    this.submitted.push(message);
    return this.script(message);
  }

  async start(sinks: CarrierSinks): Promise<void> {
    this.sinks = sinks;
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  /** From now on the carrier is down, and says so when it is asked. */
  goDown(): void {
    this.current = { up: false, reason: 'it was told to be' };
    this.script = () => {
      throw CarrierError.unavailable('DOWN', 'The carrier is down.');
    };
  }
}

/** A type of carrier for tests, and every carrier that was opened of it, by name: the last one of each. */
export function scriptedType(): CarrierType & { opened: Map<string, ScriptedCarrier> } {
  const opened = new Map<string, ScriptedCarrier>();
  return {
    opened,
    type: 'scripted',
    kinds: ['sms', 'whatsapp'],
    settings: Type.Object({
      host: Type.String({ description: 'Where it is.', minLength: 1 }),
      port: Type.Integer({ description: 'Its port.', default: 2775, minimum: 1, maximum: 65_535 }),
      password: Type.Optional(Type.String({ description: 'Its password.', maxLength: 8 })),
      tls: Type.Boolean({ description: 'Whether to encrypt.', default: false }),
    }),
    secrets: ['password'],
    destinations: ['host', 'port', 'tls'],
    channelSettings: Type.Object({
      phoneNumberId: Type.String({ description: 'Id of the number.', pattern: '^\\d+$' }),
    }),
    channelIdentity: 'phoneNumberId',
    problems: ({ tls, port }) => (tls && port === 2775 ? ['port 2775 is not for TLS'] : []),
    open(context) {
      const carrier = new ScriptedCarrier(context);
      opened.set(context.name, carrier);
      return carrier;
    },
    async *check({ settings }) {
      const what = `connect to ${settings.host}`;
      yield settings.host === 'nowhere'
        ? { what, problem: 'there is no such host', setting: 'host' }
        : { what, problem: null };
    },
  };
}

/** Sets a scripted carrier up as an operator does. Processes find it at their next look. */
export async function addScripted({ prisma }: { prisma: PrismaClient }, name: string): Promise<void> {
  await prisma.carrier.create({ data: { id: newId(), name, type: 'scripted', settings: { host: 'test' } } });
}

/** An account of a test's own whose SMS go to the first of two new carriers, and to the second should that fail. */
export async function accountOnTwoCarriers(
  { deps }: Pick<TestApp, 'deps'>,
  { opened }: ReturnType<typeof scriptedType>,
): Promise<{ account: TestAccount; first: ScriptedCarrier; second: ScriptedCarrier }> {
  const account = await createTestAccount(deps);
  const names = [`first-${newId().slice(-8)}`, `second-${newId().slice(-8)}`];
  for (const name of names) await addScripted(deps, name);
  await deps.prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: names } });
  await Promise.all([deps.carriers.reload(), deps.routing.reload()]);
  const [first, second] = names.map((name) => opened.get(name)) as [ScriptedCarrier, ScriptedCarrier];
  return { account, first, second };
}

/** The application for a suite with a type of carriers that do as they are told; each test has two of its own (as above). */
export function suiteOnTwoCarriers() {
  const type = scriptedType();
  const heliograph = suiteApp({ carrierTypes: [type] });
  const mine = forEachTest(async () => {
    await heliograph.deps.prisma.route.deleteMany({});
    return await accountOnTwoCarriers(heliograph, type);
  });
  return { heliograph, type, mine };
}
