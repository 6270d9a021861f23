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
import { vendorCode } from '../../../src/carriers/failure-codes.js';
import type { PrismaClient } from '../../../src/platform/generated/prisma/client.js';
import { newId } from '../../../src/platform/ids.js';

export type Script = (message: OutboundMessage) => Submission | Promise<Submission>;

/** Carrier controlled by a script, which by default accepts every message with a unique ID. */
export class ScriptedCarrier implements Carrier {
  readonly name: string;
  readonly type = 'scripted';
  readonly ratePerSecond = null;
  readonly needsReferences = true;
  readonly settings: Record<string, unknown>;
  readonly receivesOnly: boolean;
  readonly submitted: OutboundMessage[] = [];
  requestReceipts?: Carrier['requestReceipts'];
  script: Script = ({ id }) => ({ carrierMessageId: `${this.name}-${id}` });
  currentState: CarrierState = { up: true };
  sinks: CarrierSinks | null = null;
  closed = false;

  constructor({ name, settings, receivesOnly = false }: CarrierContext) {
    this.name = name;
    this.settings = settings;
    this.receivesOnly = receivesOnly;
  }

  state(): CarrierState {
    return this.currentState;
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

  goDown(): void {
    this.currentState = { up: false, reason: 'taken down by the test' };
    this.script = () => {
      throw CarrierError.unavailable(vendorCode('DOWN'), 'The carrier is down.');
    };
  }
}

/** `opened` has the most recently opened carrier of each name. */
export function createScriptedType(): CarrierType & { opened: Map<string, ScriptedCarrier> } {
  const opened = new Map<string, ScriptedCarrier>();
  return {
    opened,
    type: 'scripted',
    kinds: ['sms', 'whatsapp'],
    settings: Type.Object({
      host: Type.String({ description: 'Host name.', minLength: 1 }),
      port: Type.Integer({ description: 'Port.', default: 2775, minimum: 1, maximum: 65_535 }),
      password: Type.Optional(Type.String({ description: 'Password.', maxLength: 8 })),
      tls: Type.Boolean({ description: 'Whether to encrypt.', default: false }),
    }),
    secrets: ['password'],
    destinations: ['host', 'port', 'tls'],
    channelSettings: Type.Object({
      phoneNumberId: Type.String({ description: 'ID of the number.', pattern: '^\\d+$' }),
    }),
    channelIdentity: 'phoneNumberId',
    findProblems: ({ tls, port }) => (tls && port === 2775 ? ['port 2775 is not for TLS'] : []),
    open(context) {
      const carrier = new ScriptedCarrier(context);
      opened.set(context.name, carrier);
      return carrier;
    },
    async *check({ settings }) {
      const step = `connect to ${settings.host}`;
      yield settings.host === 'nowhere'
        ? { what: step, problem: 'the host does not exist', setting: 'host' }
        : { what: step, problem: null };
    },
  };
}

/** Adds a carrier that processes find when they next reload their carriers. */
export async function addScriptedCarrier({ prisma }: { prisma: PrismaClient }, name: string): Promise<void> {
  await prisma.carrier.create({ data: { id: newId(), name, type: 'scripted', settings: { host: 'test' } } });
}
