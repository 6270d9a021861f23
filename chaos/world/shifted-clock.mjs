// This preloaded module shifts the clock of a process by CHAOS_CLOCK_MS milliseconds, except for timers.
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
