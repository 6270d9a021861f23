// Prints `N passed, N failed` (and `, N skipped` where there are any) from vitest's JSON report.
// Usage: node scripts/test-counts.mjs REPORT; exits 1 when no test ran or one failed.
import { readFileSync } from 'node:fs';

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, success: false };
  }
}

const report = read(process.argv[2]);
const skipped = report.numPendingTests + report.numTodoTests;
console.log(
  `${report.numPassedTests} passed, ${report.numFailedTests} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
);
process.exitCode = report.success && report.numPassedTests > 0 ? 0 : 1;
