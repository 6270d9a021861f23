import { type Static, Type } from '@sinclair/typebox';
import type { ClaimedCallback } from '../../../src/carriers/callbacks/callback-store.js';
import type { CallbackEndpoint } from '../../../src/carriers/callbacks/endpoint.js';
import type { UnmatchedReport } from '../../../src/carriers/callbacks/unmatched/unmatched-report.js';
import type {
  Carrier,
  CarrierState,
  OutboundMessage,
  ReceiptStatus,
  Submission,
} from '../../../src/carriers/carrier.js';
import type { CallbackContext, CarrierContext, CarrierType } from '../../../src/carriers/carrier-type.js';
import { AppError } from '../../../src/platform/errors/app-error.js';

const settings = Type.Object({
  token: Type.String({ minLength: 1, description: 'Token of calls from the pager service.' }),
});

interface Call {
  token: string;
  receipts?: { id: string; status: ReceiptStatus }[];
  texts?: { id: string; from: string; to: string; text: string }[];
  places?: { id: string; from: string; to: string; place: object }[];
}

class Pager implements Carrier {
  readonly name: string;
  readonly type = 'pager';
  readonly ratePerSecond = null;
  readonly needsReferences = true;
  readonly #token: string;

  constructor(context: CarrierContext<Static<typeof settings>>) {
    this.name = context.name;
    this.#token = context.settings.token;
  }

  state(): CarrierState {
    return { up: true };
  }

  async submit({ id }: OutboundMessage): Promise<Submission> {
    return { carrierMessageId: `pager-${id}` };
  }

  acceptsToken(token: string): boolean {
    return token === this.#token;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}
}

const pagerEndpoint: CallbackEndpoint = {
  method: 'POST',
  handle(carrier: Pager, { body }) {
    const { token } = JSON.parse(body.toString('utf8')) as Call;
    if (!carrier.acceptsToken(token)) throw new AppError('FORBIDDEN', 'This is another token.');
    return { store: body, answer: { taken: true } };
  },
};

async function applyPagerCalls(
  calls: readonly ClaimedCallback[],
  { sinks }: CallbackContext,
): Promise<UnmatchedReport[]> {
  for (const { carrier, body, receivedAt } of calls) {
    const { receipts = [], texts = [], places = [] } = JSON.parse(body.toString('utf8')) as Call;
    await sinks.receipts(
      receipts.map(({ id, status }) => ({ carrier, carrierMessageId: id, status, occurredAt: receivedAt })),
    );
    await sinks.inbound(
      texts.map(({ id, text, ...numbers }) => ({ carrier, carrierMessageId: id, ...numbers, body: text, receivedAt })),
    );
    const channels = await sinks.channels(carrier);
    for (const { id, from, to, place } of places) {
      const channel = channels.find(({ phoneNumber }) => phoneNumber === to);
      if (!channel) continue;
      await sinks.inbound([
        { channel, carrierMessageId: id, from, type: 'location', body: '', payload: place, receivedAt },
      ]);
    }
  }
  return [];
}

/** A minimal carrier type with callbacks, written as docs/develop/carriers.md describes. */
export const pagerType: CarrierType<typeof settings> = {
  type: 'pager',
  kinds: ['sms'],
  settings,
  secrets: ['token'],
  destinations: [],
  callbacks: { endpoints: [pagerEndpoint], apply: applyPagerCalls },
  open: (context) => new Pager(context),
  async *check() {
    yield { what: 'send a page', problem: null };
  },
};
