import { type Command, CommanderError } from 'commander';
import { VERSION } from '../../platform/package-folder.js';
import type { CliContext } from '../context.js';
import { print } from '../output.js';
import { counted } from './amounts.js';
import { examine } from './doctor.js';
import type { Finding, Severity } from './finding.js';

const SIGNS: Record<Severity, string> = { ok: 'ok', warning: 'WARNING', error: 'ERROR' };

/** `heliograph doctor`: exit code 1 where there is an error among the findings. */
export function addDoctorCommand(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .description('look at everything the server needs, and say what is wrong and what to do; changes nothing')
    .action(async (_options: object, command: Command) => {
      const findings = await examine(context.env);
      const isWell = !findings.some(({ severity }) => severity === 'error');
      const result = { version: VERSION, ok: isWell, findings: findings.map((each) => ({ ...each })) };
      print(context, command, result, readable(findings));
      // The findings have said it all.
      if (!isWell) throw new CommanderError(1, 'heliograph.doctor', '');
    });
}

function readable(findings: readonly Finding[]): string {
  const subjectOf = ({ check }: Finding) => check.slice(0, check.indexOf('.'));
  const width = Math.max(...findings.map((each) => subjectOf(each).length));
  const indent = ' '.repeat(SIGNS.warning.length + width + 4);
  const lines = findings.flatMap((each) => {
    const { severity, text, advice } = each;
    const line = `${SIGNS[severity].padEnd(SIGNS.warning.length)}  ${subjectOf(each).padEnd(width)}  ${text}`;
    return advice ? [line, `${indent}${advice}`] : [line];
  });
  const number = (severity: Severity) => findings.filter((each) => each.severity === severity).length;
  return [...lines, '', `${counted(number('error'), 'error')}, ${counted(number('warning'), 'warning')}.`].join('\n');
}
