// A change of language keeps the reader's place: the link leads to the first clause on the screen.
document.addEventListener('click', (event) => {
  const link = event.target.closest('.languages a');
  const clause = [...document.querySelectorAll('.clause')].find((one) => one.getBoundingClientRect().bottom > 100);
  if (link && clause && window.scrollY > 200) link.hash = clause.id;
});
