// Loaded before a process of the fleet whose clock is wrong: its dates are off by CHAOS_CLOCK_MS milliseconds. Timers, which
// count from the start of the machine, are not.
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
