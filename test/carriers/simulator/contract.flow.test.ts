import { describeCarrier } from '../contract.js';

for (const kind of ['sms', 'whatsapp'] as const) {
  const setUp = async () => ({ kind, carrier: null, close: async () => undefined });
  describeCarrier(`the simulator, ${kind}`, setUp, { canBeAway: false });
}
