import { lazy, Suspense } from 'react'
import { Navigate, Route, Routes } from 'react-router'
import { CallbackPage } from '../features/sign-in/callback-page.tsx'
import { SignInPage } from '../features/sign-in/sign-in-page.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { PageLoading } from '../ui/page-state.tsx'
import { RouteFocus } from './route-focus.tsx'

// The sign-in page is a small bundle of its own; everything else loads lazily.
const importAdminPage = () => import('./admin-page.tsx').then(({ AdminPage }) => ({ default: AdminPage }))
const importDashboardPage = () =>
  import('./dashboard-page.tsx').then(({ DashboardPage }) => ({ default: DashboardPage }))
const AdminPage = lazy(importAdminPage)
const DashboardPage = lazy(importDashboardPage)
/** The page inside the layout loads beside it, not after it. A failure shows when the page does. */
const PageLayout = lazy(() => {
  const importPage = window.location.pathname === '/admin' ? importAdminPage : importDashboardPage
  importPage().catch(() => {})
  return import('./page-layout.tsx').then(({ PageLayout }) => ({ default: PageLayout }))
})

export function AppRoutes() {
  return (
    <ErrorBoundary>
      <RouteFocus />
      <Suspense fallback={<PageLoading />}>
        <Routes>
          <Route path="/" element={<SignInPage />} />
          <Route path="/profile" element={<CallbackPage />} />
          <Route element={<PageLayout />}>
            <Route path="/admin" element={<AdminPage />} />
            <Route path="/dashboard" element={<DashboardPage />} />
          </Route>
          <Route path="*" element={<Navigate to="/" replace />} />
        </Routes>
      </Suspense>
    </ErrorBoundary>
  )
}
