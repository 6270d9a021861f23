import { Type } from '@sinclair/typebox';
import type { CarrierType } from '../carrier-type.js';
import { Simulator } from './simulator.js';

const simulatorSettings = Type.Object({
  delayMs: Type.Integer({
    minimum: 0,
    default: 50,
    description: 'Milliseconds between a submission and its first receipt.',
  }),
  replyWindow: Type.Boolean({
    default: false,
    description:
      'Whether WhatsApp messages other than templates fail unless the contact wrote within the last 24 hours, as with Meta.',
  }),
});

export const simulatorType: CarrierType<typeof simulatorSettings> = {
  type: Simulator.carrierName,
  kinds: ['sms', 'whatsapp'],
  settings: simulatorSettings,
  secrets: [],
  destinations: [],
  open: ({ name, settings, log, clock }) => new Simulator({ name, ...settings, log, clock }),
  async *check() {
    yield { what: 'reach the built-in simulator', problem: null };
  },
};
