// The page on which skippers book a berth. Browsers get it minified.
const form = document.querySelector('form.booking');

form.addEventListener('change', () => {
  showTotal(chosenBerth());
});

function chosenBerth() {
  const [option] = form.elements.berth.selectedOptions;
  return JSON.parse(option.dataset.berth);
}

function showTotal(berth) {
  form.querySelector('output').textContent = `${totalOf(berth, form.elements.nights.value)} EUR`;
}

function totalOf(berth, nights) {
  const price = berth.price * nights;
  return (price + berth.deposit.amount).toFixed(2);
}
