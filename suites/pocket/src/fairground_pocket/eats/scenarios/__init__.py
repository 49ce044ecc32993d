"""The tasks of the food delivery app."""

from fairground_pocket.eats.scenarios import across, answers, carts, managing, ordering

SCENARIOS = (
    ordering.OrderDish(), ordering.OrderWithExtras(), ordering.ScheduleOrder(), ordering.OrderWithCode(),
    ordering.OrderWithOffer(), ordering.OrderElsewhere(), ordering.OrderCheapest(), carts.FillCart(),
    carts.ChangeCart(), carts.OrderCart(), carts.OrderAgain(), carts.CancelScheduled(), managing.AddFavourites(),
    managing.SwapFavourite(), managing.FavouriteBest(), managing.AddAddress(), managing.EditAddress(),
    managing.ChangeDefaults(), managing.DeleteAddress(), managing.AddCard(), managing.RateOrder(),
    managing.ReportProblem(), managing.SetDiet(), managing.SetAlerts(), answers.OrderTotal(), answers.DishPrice(),
    answers.CountRestaurants(), answers.ClosingTime(), answers.FastestPlace(), answers.MonthSpent(),
    answers.OfferEnds(), answers.CourierName(), answers.StarsGiven(), answers.VeganDishes(), answers.TimesOrdered(),
    across.OrderFromMail(), across.MailTotal(), across.MailPhone(), across.RecommendedMinimum(),
)  # fmt: skip
"""All of them."""
