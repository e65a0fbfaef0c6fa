import { useQuery } from '@tanstack/react-query';
import { Navigate, useLocation } from 'react-router';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Loading } from '../../components/loading.tsx';
import { isDead, readCode, setPassword } from '../set-password/by-code.ts';
import { DeadLink } from '../set-password/dead-link.tsx';

/** Nobody needs to know it: the next link sets another. */
const randomPassword = () => `${crypto.getRandomValues(new BigUint64Array(3)).join('-')}`;

/** The page of the link that `npm run demo` prints: it signs in as soon as it is open. */
export function Page() {
  const link = readCode(useLocation().hash);
  const { isSuccess, error } = useQuery({
    queryKey: ['sign-in-once', link.code],
    queryFn: () => setPassword(link, randomPassword()).then(() => true),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isDead(error)) return <DeadLink />;
  if (error) return <ErrorAlert error={error} />;
  return isSuccess ? <Navigate to="/" replace /> : <Loading />;
}
