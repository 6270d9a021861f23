// Preloaded to shift a process's dates by CHAOS_CLOCK_MS milliseconds. Timers use a monotonic clock and are not affected.
const offMs = Number(process.env.CHAOS_CLOCK_MS);
const RightDate = Date;

globalThis.Date = class extends RightDate {
  constructor(...given) {
    if (given.length === 0) super(RightDate.now() + offMs);
    else super(...given);
  }

  static now() {
    return RightDate.now() + offMs;
  }
};
