/** SQLSTATE and Prisma codes of failures that an operator can mend, with what to do. */
const ADVICE: Record<string, string> = {
  P2021: 'The store has no tables yet, or old ones: run "heliograph migrate" first.',
  P2022: 'The store has old tables: run "heliograph migrate" first.',
};

/** Says in a few words why a command failed. Never shows a URL, for it may hold a password. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && ADVICE[code]) return ADVICE[code];
  // A connection that failed on several addresses has an empty message of its own.
  if (error instanceof AggregateError) return error.errors.map(explain).join('; ');
  // Prisma puts an excerpt of our source before what the matter is.
  if (error.name.startsWith('PrismaClient')) return error.message.trim().split('\n').at(-1) as string;
  return error.message || String(code ?? error.name);
}

/** The same with what lies below, where an error says only that something failed. */
export function explainDeep(error: unknown): string {
  const own = explain(error).replace(/\.$/, '');
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && !own.includes(cause.message) ? `${own}: ${explainDeep(cause)}` : own;
}
