import { NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findGuard, type Guard, type Guards, guardsQuery, setGuard } from '../../api/account/guard.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { useVersionedForm } from '../../ui/forms/use-versioned-form.js';
import { Section } from '../../ui/layout/section.js';
import { Facts } from '../../ui/tables/facts.js';
import { GuardForm } from './guard-form.js';
import { GuardHolds } from './guard-holds.js';

const words = text.guard;

export function GuardSection({ accountId }: { accountId: string }) {
  const { data: guards, error, refetch } = useQuery(guardsQuery(accountId));
  const [keyId, setKeyId] = useState('');
  const mayChangeGuard = { account: useCan('owner', 'installation'), key: useCan('owner') };
  const key = guards?.keys.find(({ id }) => id === keyId);
  const mayChange = key ? mayChangeGuard.key : mayChangeGuard.account;
  return (
    <Section title={words.title} lead={words.lead}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!guards && !error && <LoadingState lines={3} />}
      {guards && (
        <Stack gap="lg" maw={720}>
          <GuardHolds accountId={accountId} holds={guards.holds} />
          {guards.keys.length > 0 && (
            <NativeSelect
              label={words.appliesTo}
              value={keyId}
              data={[
                { value: '', label: words.account },
                ...guards.keys.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              onChange={(event) => setKeyId(event.currentTarget.value)}
            />
          )}
          {mayChange ? (
            <ChangeGuard
              key={key?.id ?? ''}
              accountId={accountId}
              keyId={key?.id ?? null}
              guards={guards}
              refetch={refetch}
            />
          ) : (
            <GuardFacts guard={findGuard(guards, key?.id ?? null).guard} />
          )}
        </Stack>
      )}
    </Section>
  );
}

interface ChangeGuardProps {
  accountId: string;
  keyId: string | null;
  guards: Guards;
  refetch(): Promise<unknown>;
}

/** Warns if another operator has changed the guard. */
function ChangeGuard({ accountId, keyId, guards, refetch }: ChangeGuardProps) {
  const current = findGuard(guards, keyId);
  const form = useVersionedForm(current, refetch);
  const save = (next: Guard | null) =>
    form.save(async ({ version }) => {
      const saved = await setGuard(accountId, keyId, version, next);
      notify(next ? words.saved : words.removed);
      return saved;
    });
  return (
    <div>
      {form.notice}
      <GuardForm
        key={form.formKey}
        isAccountGuard={keyId === null}
        initial={form.resource.guard}
        currentGuard={current.guard}
        currency={guards.currency}
        onTouched={form.onTouched}
        onSubmit={save}
      />
    </div>
  );
}

function GuardFacts({ guard }: { guard: Guards['guard'] }) {
  if (!guard) return words.none;
  const { allowed, refusesRisky, limits, watch } = guard;
  const limitTexts = limits.map(({ most, measure, span, scope, used }) => {
    const limit = words.limit(most, measure, span, scope);
    return used === null ? limit : words.used(limit, used);
  });
  return (
    <Facts
      facts={[
        [words.allowed, allowed.length === 0 ? words.any : allowed.join(', ')],
        [words.risky, refusesRisky ? words.refused : words.riskyAllowed],
        [words.watched, watch ? words.heldFor(watch.holdMinutes) : words.notHeld],
        [words.limits, limitTexts.length === 0 ? words.noLimits : limitTexts.join('; ')],
      ]}
    />
  );
}
