// Preloaded to shift the clock of a process by CHAOS_CLOCK_MS milliseconds. Timers use a monotonic clock and are not affected.
const offsetMs = Number(process.env.CHAOS_CLOCK_MS);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offsetMs);
    else super(...args);
  }

  static now() {
    return RealDate.now() + offsetMs;
  }
};
