import { NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Guards, guardsQuery } from '../../api/account/guard.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { Section } from '../../ui/layout/section.js';
import { Facts } from '../../ui/tables/facts.js';
import { GuardForm } from './guard-form.js';
import { GuardHolds } from './guard-holds.js';

const words = text.guard;

/** To where an account and its keys may send, and how much: a form for those who may change it, facts for the others. */
export function GuardSection({ accountId }: { accountId: string }) {
  const { data: guards, error, refetch } = useQuery(guardsQuery(accountId));
  const [keyId, setKeyId] = useState('');
  const owns = { account: useCan('owner', 'installation'), key: useCan('owner') };
  const key = guards?.keys.find(({ id }) => id === keyId);
  const guard = key ? key.guard : (guards?.guard ?? null);
  const mayChange = key ? owns.key : owns.account;
  return (
    <Section title={words.title} lead={words.lead}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!guards && !error && <LoadingState lines={3} />}
      {guards && (
        <Stack gap="lg" maw={720}>
          <GuardHolds accountId={accountId} holds={guards.holds} />
          {guards.keys.length > 0 && (
            <NativeSelect
              label={words.of}
              value={keyId}
              data={[
                { value: '', label: words.account },
                ...guards.keys.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              onChange={(event) => setKeyId(event.currentTarget.value)}
            />
          )}
          {mayChange ? (
            <GuardForm
              key={key?.id ?? ''}
              accountId={accountId}
              keyId={key?.id ?? null}
              guard={guard}
              currency={guards.currency}
            />
          ) : (
            <GuardFacts guard={guard} />
          )}
        </Stack>
      )}
    </Section>
  );
}

function GuardFacts({ guard }: { guard: Guards['guard'] }) {
  if (!guard) return words.none;
  const { allowed, refusesRisky, limits, watch } = guard;
  const told = limits.map(({ most, measure, span, scope, used }) => {
    const limit = words.limit(most, measure, span, scope);
    return used === null ? limit : words.used(limit, used);
  });
  return (
    <Facts
      facts={[
        [words.allowed, allowed.length === 0 ? words.any : allowed.join(', ')],
        [words.risky, refusesRisky ? words.refused : words.let],
        [words.watched, watch ? words.heldFor(watch.holdMinutes) : words.notHeld],
        [words.limits, told.length === 0 ? words.noLimits : told.join('; ')],
      ]}
    />
  );
}
