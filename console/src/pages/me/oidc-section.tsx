import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { linkOidc, oidcQuery, type Session, unlinkOidc } from '../../api/session.js';
import { OidcProblem } from '../../shared/oidc-problem.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { Section } from '../../ui/layout/section.js';
import { StatusBadge } from '../../ui/values/status-badge.js';

/** Hidden if no OpenID Connect issuer is configured. */
export function OidcSection({ operator }: { operator: Session['operator'] }) {
  const client = useQueryClient();
  const { data: label } = useQuery(oidcQuery);
  const connect = useMutation({ mutationFn: linkOidc });
  if (!label) return null;
  const isConnected = operator.hasOidc;
  return (
    <Section title={label} lead={isConnected ? text.oidc.signsYouIn(label) : text.oidc.connectHint(label)}>
      <OidcProblem title={text.oidc.linkProblemTitle} />
      {connect.error && <ErrorState error={connect.error} />}
      <Group gap="sm">
        <StatusBadge
          status={isConnected ? 'active' : 'disabled'}
          label={isConnected ? text.oidc.connected : text.oidc.notConnected}
        />
        {isConnected && !operator.hasPassword && <Text size="sm">{text.oidc.disconnectHint}</Text>}
      </Group>
      <Group gap="xs">
        {isConnected ? (
          <ConfirmButton
            title={text.oidc.disconnectTitle(label)}
            consequence={text.oidc.disconnectHint}
            confirm={text.oidc.disconnect}
            onConfirm={async () => {
              await unlinkOidc();
              notify(text.oidc.disconnected);
              await client.invalidateQueries({ queryKey: ['session'] });
            }}
          >
            {text.oidc.disconnect}
          </ConfirmButton>
        ) : (
          <Button variant="default" onClick={() => connect.mutate()} loading={connect.isPending || connect.isSuccess}>
            {text.oidc.connect(label)}
          </Button>
        )}
      </Group>
    </Section>
  );
}
