// node scripts/test-counts.mjs REPORT
//
// Prints `N passed, N failed` (and `, N skipped` if any) from vitest's JSON report. Exits with 1 if a test failed or no test
// ran.
import { readFileSync } from 'node:fs';
import { parseCommandLine } from './lib/command-line.mjs';

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, success: false };
  }
}

const {
  args: [path],
} = parseCommandLine(import.meta.url, { maxArguments: 1 });
const report = readReport(path);
const skipped = report.numPendingTests + report.numTodoTests;
console.log(
  `${report.numPassedTests} passed, ${report.numFailedTests} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
);
process.exitCode = report.success && report.numPassedTests > 0 ? 0 : 1;
