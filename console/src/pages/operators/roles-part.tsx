import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Operator, setGrants } from '../../api/operators/operators.js';
import type { Grant } from '../../api/session.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { GrantFields, grantText, useFirstGrant } from './grant-fields.js';

const words = text.operators;

export function RolesPart({ operator, mayChange }: { operator: Operator; mayChange: boolean }) {
  const { name, grants } = operator;
  const without = (accountId: string | null) => grants.filter((each) => each.accountId !== accountId);
  const set = async (changed: readonly Grant[]) => {
    await setGrants(operator, changed);
    notify(words.rolesChanged(name));
  };
  return (
    <Stack gap="sm">
      <Title order={3} fz="md">
        {words.roles}
      </Title>
      {grants.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.noRoles}
        </Text>
      )}
      {grants.map((grant) => (
        <Group key={grant.accountId} justify="space-between" wrap="nowrap">
          <Text size="sm">{grantText(grant)}</Text>
          {mayChange && (
            <ConfirmButton
              size="xs"
              flex="none"
              aria-label={words.revokeNamed(grantText(grant))}
              {...words.revokeQuestion(name, grantText(grant))}
              onConfirm={() => set(without(grant.accountId))}
            >
              {words.revoke}
            </ConfirmButton>
          )}
        </Group>
      ))}
      {mayChange && <GrantRoleForm onGive={(grant) => set([...without(grant.accountId), grant])} />}
    </Stack>
  );
}

function GrantRoleForm({ onGive }: { onGive(grant: Grant): Promise<void> }) {
  const [grant, setGrant] = useState<Grant>(useFirstGrant());
  const give = useMutation({ mutationFn: onGive });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    give.mutate(grant);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {give.error && <ErrorState error={give.error} />}
        <GrantFields value={grant} onChange={setGrant} />
        <Text size="sm" c="dimmed">
          {words.grantRoleHint}
        </Text>
        <Group justify="flex-end">
          <Button type="submit" size="xs" loading={give.isPending}>
            {words.grantRole}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
