import { type Command, CommanderError } from 'commander';
import { VERSION } from '../../platform/package-folder.js';
import type { CliContext } from '../context.js';
import { print } from '../output.js';
import { formatCount } from './amounts.js';
import { examine } from './doctor.js';
import type { Finding, Severity } from './finding.js';

const LABELS: Record<Severity, string> = { ok: 'ok', warning: 'WARNING', error: 'ERROR' };

export function addDoctorCommand(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .description('check everything the server needs, and explain problems and how to fix them; changes nothing')
    .action(async (_options: object, command: Command) => {
      const findings = await examine(context.env);
      const isHealthy = !findings.some(({ severity }) => severity === 'error');
      const result = { version: VERSION, ok: isHealthy, findings: findings.map((finding) => ({ ...finding })) };
      print(context, command, result, formatFindings(findings));
      // The error has no message, because the findings have already been printed.
      if (!isHealthy) throw new CommanderError(1, 'heliograph.doctor', '');
    });
}

function formatFindings(findings: readonly Finding[]): string {
  const getSubject = ({ check }: Finding) => check.slice(0, check.indexOf('.'));
  const width = Math.max(...findings.map((finding) => getSubject(finding).length));
  const indent = ' '.repeat(LABELS.warning.length + width + 4);
  const lines = findings.flatMap((finding) => {
    const { severity, text, advice } = finding;
    const line = `${LABELS[severity].padEnd(LABELS.warning.length)}  ${getSubject(finding).padEnd(width)}  ${text}`;
    return advice ? [line, `${indent}${advice}`] : [line];
  });
  const countBy = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length;
  return [
    ...lines,
    '',
    `${formatCount(countBy('error'), 'error')}, ${formatCount(countBy('warning'), 'warning')}.`,
  ].join('\n');
}
