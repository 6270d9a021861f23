import type { CliContext } from './context.js';

const WIDTH = 30;
const MIN_PAUSE_MS = 100;

/** A bar on standard error that is drawn over itself; where that is no terminal, nothing is shown. */
export class ProgressBar {
  readonly #context: CliContext;
  readonly #total: number;
  readonly #started = performance.now();
  #drawn = Number.NEGATIVE_INFINITY;

  /** @param total what `done` counts up to, e.g. bytes */
  constructor(context: CliContext, total: number) {
    this.#context = context;
    this.#total = total;
  }

  /**
   * @param rows shown beside the bar
   * @param rowsSinceStart those of them from which the speed is told
   */
  show(done: number, rows: number, rowsSinceStart: number): void {
    const now = performance.now();
    if (!this.#context.isTerminal || now - this.#drawn < MIN_PAUSE_MS) return;
    this.#drawn = now;
    const share = this.#total === 0 ? 1 : Math.min(1, done / this.#total);
    const filled = Math.round(share * WIDTH);
    const bar = '#'.repeat(filled) + '-'.repeat(WIDTH - filled);
    const speed = Math.round((rowsSinceStart / Math.max(1, now - this.#started)) * 1000);
    const percent = String(Math.floor(share * 100)).padStart(3);
    this.#context.writeError(`\r[${bar}] ${percent} %  ${format(rows)} rows  ${format(speed)}/s \u001b[K`);
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#drawn > 0) this.#context.writeError('\r\u001b[K');
  }
}

/** Says on standard error how many rows of each table are done, a line a table; a terminal is told in between too. */
export class TableProgress {
  readonly #context: CliContext;
  #table = '';
  #rows = 0;
  #drawn = Number.NEGATIVE_INFINITY;

  constructor(context: CliContext) {
    this.#context = context;
  }

  show(table: string, rows: number): void {
    if (table !== this.#table) this.end();
    this.#table = table;
    this.#rows = rows;
    const now = performance.now();
    if (!this.#context.isTerminal || now - this.#drawn < MIN_PAUSE_MS) return;
    this.#drawn = now;
    this.#context.writeError(`\r${this.#line()} \u001b[K`);
  }

  /** Ends the line of the last table. */
  end(): void {
    if (this.#table === '') return;
    this.#context.writeError(
      `${this.#context.isTerminal ? '\r' : ''}${this.#line()}${this.#context.isTerminal ? '\u001b[K' : ''}\n`,
    );
    this.#table = '';
  }

  #line(): string {
    return `${this.#table}: ${format(this.#rows)} ${this.#rows === 1 ? 'row' : 'rows'}`;
  }
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}
