import { type CarrierUnderTest, CONTRACT_NUMBERS, describeCarrier } from '../contract.js';
import { joinParts } from './join-parts.js';
import type { Submit } from './received-submit.js';
import { bindSettings } from './setup.js';
import { buildReceipt, Smsc, type Treatment } from './smsc.js';

const THROTTLED = 0x58;
const INVALID_DESTINATION = 0x0b;

function treatContractNumbers(): (submit: Submit) => Treatment {
  const attempts = new Map<string, number>();
  return ({ destination: { address } }) => {
    const earlierAttempts = attempts.get(address) ?? 0;
    attempts.set(address, earlierAttempts + 1);
    switch (address) {
      case CONTRACT_NUMBERS.refused:
        return { status: INVALID_DESTINATION };
      case CONTRACT_NUMBERS.undelivered:
        return { receipts: [buildReceipt('UNDELIV', { err: '027' })] };
      case CONTRACT_NUMBERS.throttledTwice:
        return earlierAttempts < 2 ? { status: THROTTLED } : { receipts: [buildReceipt()] };
      case CONTRACT_NUMBERS.answerLostOnce:
        return earlierAttempts < 1 ? { answer: 'never' } : { receipts: [buildReceipt()] };
      default:
        return { receipts: [buildReceipt()] };
    }
  };
}

async function setUp(settings: Record<string, unknown>): Promise<CarrierUnderTest> {
  const smsc = await Smsc.start();
  smsc.treat = treatContractNumbers();
  return {
    kind: 'sms',
    carrier: {
      type: 'smpp',
      settings: {
        ...bindSettings(smsc.port),
        responseTimeoutSeconds: 2,
        reconnectMinSeconds: 0.05,
        reconnectMaxSeconds: 0.2,
        ...settings,
      },
    },
    arrived: () => joinParts(smsc.submits),
    interrupt: () => smsc.kill(),
    restore: () => smsc.listen(),
    close: () => smsc.kill(),
  };
}

describeCarrier('SMPP', () => setUp({}), { canBeAway: true });
describeCarrier(
  'SMPP with SAR TLVs, on a transmitter and a receiver',
  () => setUp({ multipart: 'sar', bindType: 'transmitter-and-receiver', binds: 2 }),
  { canBeAway: true },
);
describeCarrier('SMPP with message_payload', () => setUp({ multipart: 'payload' }), { canBeAway: false });
