import { useOperator } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Page } from '../../ui/layout/page.js';
import { OidcSection } from './oidc-section.js';
import { PasswordSection } from './password-section.js';
import { SecondFactorSection } from './second-factor-section.js';
import { SessionsSection } from './sessions-section.js';

export function MePage() {
  const operator = useOperator();
  return (
    <Page title={text.me.title} lead={text.me.lead(operator.name)} narrow>
      <PasswordSection operator={operator} />
      <SecondFactorSection operator={operator} />
      <OidcSection operator={operator} />
      <SessionsSection />
    </Page>
  );
}
