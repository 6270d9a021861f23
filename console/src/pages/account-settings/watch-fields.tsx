import { NumberInput, Stack, Switch, TagsInput } from '@mantine/core';
import type { Guard } from '../../api/account/guard.js';
import { findFieldProblem } from '../../api/client/request.js';
import { text } from '../../text/en.js';

const words = text.guard;

const DEFAULT_WATCH = { holdMinutes: 20, safe: [] };

interface WatchFieldsProps {
  watch: Guard['watch'];
  error: unknown;
  onChange(watch: Guard['watch']): void;
}

export function WatchFields({ watch, error, onChange }: WatchFieldsProps) {
  return (
    <Stack gap="sm">
      <Switch
        checked={watch !== null}
        description={words.watchHint}
        label={words.watch}
        onChange={(event) => onChange(event.currentTarget.checked ? DEFAULT_WATCH : null)}
      />
      {watch && (
        <>
          <NumberInput
            label={words.holdMinutes}
            w={260}
            min={1}
            max={1440}
            allowDecimal={false}
            value={watch.holdMinutes}
            error={findFieldProblem(error, 'watch.holdMinutes')}
            onChange={(minutes) => onChange({ ...watch, holdMinutes: Number(minutes) })}
          />
          <TagsInput
            description={words.neverHoldHint}
            error={findFieldProblem(error, 'watch.safe')}
            label={words.neverHold}
            value={watch.safe}
            onChange={(safe) => onChange({ ...watch, safe })}
          />
        </>
      )}
    </Stack>
  );
}
