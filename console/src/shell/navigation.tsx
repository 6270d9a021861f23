import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { hasRole, useSession, useShownAccount } from '../session/session.js';
import { text } from '../text/en.js';
import { Icon } from '../ui/basics/icons.js';
import classes from './navigation.module.css';
import { ACCOUNT_PAGES, INSTALLATION_PAGES, type NavigationGroup } from './navigation-items.js';

export function Navigation({ onChoose }: { onChoose?: () => void }) {
  const session = useSession();
  const account = useShownAccount();
  const { pathname } = useLocation();
  const list = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the active link changes with the page.
  useEffect(() => {
    list.current?.querySelector('[data-status="active"]')?.scrollIntoView({ block: 'nearest' });
  }, [pathname]);
  const groups: readonly NavigationGroup[] = [
    ...(account ? ACCOUNT_PAGES : []),
    ...(hasRole(session, 'viewer', null) ? [INSTALLATION_PAGES] : []),
  ];
  return (
    <nav ref={list} aria-label={text.navigation.label} className={classes.navigation}>
      {groups.map((group) => (
        <div key={group.label ?? ''} className={classes.group}>
          {group.label && <h2 className={classes.heading}>{group.label}</h2>}
          <ul className={classes.list}>
            {group.items.map((item) => (
              <li key={item.to}>
                <Link
                  to={item.to}
                  params={{ accountId: account ?? '' }}
                  className={classes.link}
                  activeOptions={{ exact: item.to === '/a/$accountId/settings', includeSearch: false }}
                  onClick={onChoose}
                >
                  <Icon name={item.icon} />
                  {item.label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
