import { Navigate, Route, Routes, useSearchParams } from 'react-router'
import { CallbackPage } from '../features/sign-in/callback-page.tsx'
import { SignInPage } from '../features/sign-in/sign-in-page.tsx'
import { ErrorBoundary } from '../ui/feedback/error-boundary.tsx'
import { loadable } from '../ui/feedback/loadable.tsx'
import { PageLoading } from '../ui/feedback/page-state.tsx'
import { PersonPageLoading } from './person-page-loading.tsx'
import { RouteFocus } from './route-focus.tsx'

// The sign-in page is a small bundle of its own; everything else loads when it is shown.
const AdminPage = loadable(() => import('./admin-page.tsx').then(module => module.AdminPage), <PersonPageLoading />)
const DashboardPage = loadable(
  async () => {
    const module = await import('./dashboard-page.tsx')
    // The profile is still on its way.
    module.preloadLastView()
    return module.DashboardPage
  },
  <PersonPageLoading />,
)
const PrivacyPage = loadable(
  () => import('../features/privacy/privacy-page.tsx').then(module => module.PrivacyPage),
  <PageLoading />,
)
const UnsubscribePage = loadable(
  () => import('../features/unsubscribe/unsubscribe-page.tsx').then(module => module.UnsubscribePage),
  <PageLoading />,
)
const VerifyPage = loadable(
  () => import('../features/verify/verify-page.tsx').then(module => module.VerifyPage),
  <PageLoading />,
)
const PageLayout = loadable(
  () => {
    evaluateContracts()
    // The page inside the layout loads beside it, not after it.
    const page = window.location.pathname === '/admin' ? AdminPage : DashboardPage
    page.preload()
    return import('./page-layout.tsx').then(module => module.PageLayout)
  },
  <PersonPageLoading />,
)

/**
 * Evaluates the schemas of the first screens in several short tasks. As imports of the page they
 * would be evaluated with it, in one task that blocks a phone for a tenth of a second.
 */
function evaluateContracts(): void {
  // Each of these modules stands for the file that build/file-groups.ts puts it into.
  void Promise.allSettled([
    import('@watchline/contracts/people'),
    import('@watchline/contracts/assignments'),
    import('@watchline/contracts/organisation'),
    import('@watchline/contracts/groups'),
    import('@watchline/contracts/engagement'),
    import('@watchline/contracts/chat'),
  ])
}

export function AppRoutes() {
  return (
    <ErrorBoundary>
      <RouteFocus />
      <Routes>
        <Route path="/" element={<EntrancePage />} />
        <Route path="/verify" element={<VerifyPage />} />
        <Route path="/profile" element={<CallbackPage />} />
        <Route element={<PageLayout />}>
          <Route path="/admin" element={<AdminPage />} />
          <Route path="/dashboard" element={<DashboardPage />} />
        </Route>
        <Route path="*" element={<Navigate to="/" replace />} />
      </Routes>
    </ErrorBoundary>
  )
}

/** Pages that everybody may read are at the address of the sign-in page. */
function EntrancePage() {
  const [params] = useSearchParams()
  const page = params.get('page')
  if (page === 'privacy') return <PrivacyPage />
  return page === 'unsubscribe' ? <UnsubscribePage /> : <SignInPage />
}
