import type { SettingValues } from '../../../src/carriers/settings.js';
import { type VendorRequest, VendorStub } from '../../support/carriers/vendor/vendor-stub.js';
import type { TestApp } from '../../support/test-app.js';
import { type Arrival, CONTRACT_NUMBERS, describeCarrier } from '../contract.js';

export interface ContractVendor {
  settings(stub: VendorStub): SettingValues;
  /** Reads recipient and text from a request, or returns null if the request sends no message. */
  readSubmit(request: VendorRequest): (Arrival & { receiptUrl: string }) | null;
  acceptedAnswer(id: string, arrival: Arrival): { status: number; body: unknown };
  refused: { status: number; body: unknown };
  throttled: { status: number; body: unknown; headers?: Readonly<Record<string, string>> };
  report(heliograph: TestApp, receiptUrl: string, id: string, state: 'delivered' | 'undelivered'): Promise<unknown>;
}

export function describeVendor(title: string, vendor: ContractVendor): void {
  describeCarrier(
    title,
    async () => {
      const stub = new VendorStub();
      await stub.start();
      const tries = new Map<string, number>();
      const arrivals: Arrival[] = [];
      let heliograph: TestApp | null = null;
      let lastId = 0;
      stub.respond = async (request) => {
        const submit = vendor.readSubmit(request);
        if (!submit) return { status: 404 };
        const { receiptUrl, ...arrival } = submit;
        const count = (tries.get(arrival.to) ?? 0) + 1;
        tries.set(arrival.to, count);
        if (arrival.to === CONTRACT_NUMBERS.refused) return vendor.refused;
        if (arrival.to === CONTRACT_NUMBERS.throttledTwice && count <= 2) return vendor.throttled;
        arrivals.push(arrival);
        if (arrival.to === CONTRACT_NUMBERS.answerLostOnce && count === 1) return 'cut';
        const id = `vendor-${++lastId}`;
        const state = arrival.to === CONTRACT_NUMBERS.undelivered ? 'undelivered' : 'delivered';
        // The report is not awaited, because it may arrive before the response, and may fail after the last test.
        if (heliograph) void vendor.report(heliograph, receiptUrl, id, state).catch(() => undefined);
        return vendor.acceptedAnswer(id, arrival);
      };
      return {
        kind: 'sms',
        carrier: { type: 'http', settings: { timeoutMs: 20_000, ...vendor.settings(stub) } },
        settings: { CARRIER_PRIVATE_HOSTS: '127.0.0.1' },
        attach: async (app) => {
          heliograph = app;
        },
        arrived: () => arrivals,
        interrupt: () => stub.stop(),
        restore: () => stub.start(),
        close: () => stub.stop(),
      };
    },
    { canBeAway: true },
  );
}
