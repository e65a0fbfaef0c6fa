/** What the page has when the console is served too: a way back, its session, and the application it was at. */
const example = 'weather-station-k3v9q2';
const application = /^#application=([a-z0-9-]+)$/.exec(location.hash)?.[1];

const home = document.createElement('a');
home.className = 'console-link';
home.href = application ? `/applications/${application}` : '/';
home.textContent = 'Back to the console';
document.body.prepend(home);

/** The token of the browser's session; undefined if it is signed out. */
async function renew() {
  const answer = await fetch('/api/session/renew', { method: 'POST' });
  return answer.ok ? (await answer.json()).data.token : undefined;
}

function withApplication(response) {
  if (application && response.url.endsWith('/api/docs/json'))
    response.text = response.text.replaceAll(example, application);
  return response;
}

const { SwaggerUIBundle: make } = window;
const makeWithSession = (config) => {
  const onComplete = async () => {
    const token = await renew();
    if (token) ui.preauthorizeApiKey('bearer', token);
  };
  const ui = make({ ...config, responseInterceptor: withApplication, onComplete });
  return ui;
};
window.SwaggerUIBundle = Object.assign(makeWithSession, make);
