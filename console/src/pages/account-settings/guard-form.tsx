import { Button, Fieldset, Group, NativeSelect, Stack, Switch, TagsInput, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Guard, Guards } from '../../api/account/guard.js';
import { findFieldProblem } from '../../api/client/request.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { TextField } from '../../ui/forms/text-field.js';
import { useReportTouched } from '../../ui/forms/use-versioned-form.js';
import { WatchFields } from './watch-fields.js';

const words = text.guard;

type Limit = Guard['limits'][number];
type StoredGuard = Guards['guard'];

interface GuardFormProps {
  /** Whether the guard belongs to an account; the guard of a key cannot watch for SMS pumping. */
  isAccountGuard: boolean;
  initial: StoredGuard;
  /** Current guard, with the usage of each limit. */
  currentGuard: StoredGuard;
  currency: string;
  onTouched(): void;
  onSubmit(next: Guard | null): Promise<unknown>;
}

const NEW_LIMIT: Limit = { most: '', measure: 'messages', span: 'day', scope: 'total' };

export function GuardForm({ isAccountGuard, initial, currentGuard, currency, onTouched, onSubmit }: GuardFormProps) {
  const [allowed, setAllowed] = useState<string[]>(initial?.allowed ?? []);
  const [refusesRisky, setRefusesRisky] = useState(initial?.refusesRisky ?? true);
  const [limits, setLimits] = useState<readonly Limit[]>(initial?.limits ?? []);
  const [watch, setWatch] = useState(initial?.watch ?? null);
  useReportTouched(onTouched, allowed, refusesRisky, limits, watch);
  const { mutate, error, isPending } = useMutation({ mutationFn: onSubmit });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const trimmedLimits = limits.map(({ most, measure, span, scope }) => ({ most: most.trim(), measure, span, scope }));
    mutate({ allowed, refusesRisky, limits: trimmedLimits, watch });
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">
        {!currentGuard && <Hint>{words.none}</Hint>}
        <TagsInput
          error={findFieldProblem(error, 'allowed')}
          description={words.allowedHint}
          label={words.allowed}
          onChange={setAllowed}
          value={allowed}
        />
        <Switch
          label={words.refusesRisky}
          description={words.refusesRiskyHint}
          checked={refusesRisky}
          onChange={(event) => setRefusesRisky(event.currentTarget.checked)}
        />
        {isAccountGuard && <WatchFields watch={watch} error={error} onChange={setWatch} />}
        <Fieldset legend={words.limits}>
          <Stack gap="sm">
            {limits.map((limit, index) => (
              <LimitFields
                // biome-ignore lint/suspicious/noArrayIndexKey: limits have no ID, and the components have no state
                key={index}
                number={index + 1}
                limit={limit}
                used={describeUsage(currentGuard, limit, currency)}
                error={findFieldProblem(error, `limits[${index}].most`) ?? findFieldProblem(error, `limits[${index}]`)}
                onChange={(next) => setLimits(limits.map((each, position) => (position === index ? next : each)))}
                onRemove={() => setLimits(limits.filter((_, position) => position !== index))}
              />
            ))}
            <Group>
              <Button variant="default" size="xs" onClick={() => setLimits([...limits, NEW_LIMIT])}>
                {words.addLimit}
              </Button>
            </Group>
          </Stack>
        </Fieldset>
        {error && <ErrorState error={error} />}
        <Group>
          <Button type="submit" variant="default" size="xs" loading={isPending}>
            {text.common.save}
          </Button>
          {currentGuard && (
            <Button variant="subtle" size="xs" onClick={() => mutate(null)} disabled={isPending}>
              {words.removeGuard}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function Hint({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}

interface LimitFieldsProps {
  number: number;
  limit: Limit;
  used: string | null;
  error: string | undefined;
  onChange(limit: Limit): void;
  onRemove(): void;
}

function LimitFields({ number, limit, used, error, onChange, onRemove }: LimitFieldsProps) {
  const choice = <Name extends 'measure' | 'span' | 'scope'>(
    name: Name,
    choices: Readonly<Record<Limit[Name], string>>,
  ) => (
    <NativeSelect
      aria-label={words[name](number)}
      value={limit[name]}
      data={Object.entries<string>(choices).map(([value, label]) => ({ value, label }))}
      onChange={(event) => onChange({ ...limit, [name]: event.currentTarget.value })}
    />
  );
  return (
    <div>
      <Group gap="xs" align="start">
        <TextField
          aria-label={words.limitAmount(number)}
          inputMode="decimal"
          w={110}
          value={limit.most}
          error={error}
          onChange={(most) => onChange({ ...limit, most })}
        />
        {choice('measure', words.measures)}
        {choice('span', words.spans)}
        {choice('scope', words.scopes)}
        <Button variant="subtle" size="xs" mt={4} aria-label={words.removeLimit(number)} onClick={onRemove}>
          {text.common.remove}
        </Button>
      </Group>
      {used !== null && <Hint>{used}</Hint>}
    </div>
  );
}

/** Returns null if the limit is new or its kind was edited. */
function describeUsage(guard: StoredGuard, limit: Limit, currency: string): string | null {
  const storedLimit = guard?.limits.find(
    ({ measure, span, scope }) => measure === limit.measure && span === limit.span && scope === limit.scope,
  );
  if (!storedLimit || storedLimit.used === null) return null;
  return words.usedNow(limit.measure === 'money' ? `${storedLimit.used} ${currency}` : storedLimit.used);
}
