import { applicationQuery } from '../../api/applications.ts';
import { client, dataOf } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { ActButton } from '../../components/buttons.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

interface Props {
  language: string;
  name: string;
  isDownloaded: boolean;
}

/** Lists a downloaded uploader among the connectors of the application, or takes it off the list. */
export function ConnectorButton({ language, name, isDownloaded }: Props) {
  const { domain, connectors } = useApplication();
  const package_url = `${window.location.origin}/api/applications/${domain}/clients/${language}`;
  const isListed = connectors.some((connector) => connector.package_url === package_url);
  async function change() {
    // Others may have changed the list.
    const { connectors: now } = await queryClient.fetchQuery({ ...applicationQuery(domain), staleTime: 0 });
    const others = now.filter((connector) => connector.package_url !== package_url);
    const body = { connectors: isListed ? others : [...others, { package_url, language: name }] };
    await dataOf(client.PATCH('/api/applications/{domain}', { params: { path: { domain } }, body }));
    showSuccess((isListed ? words.send.connectorRemoved : words.send.connectorAdded)(name));
  }
  if (!isListed && !isDownloaded) return null;
  return (
    <ActButton act={change}>{isListed ? words.send.removeConnector : words.send.addConnector}</ActButton>
  );
}
